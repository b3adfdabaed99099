#pragma once

namespace transmuter {

/// Whether the CPU multiplies uint8 by int8 without saturating (AVX-512 VNNI, AVX-VNNI or AMX).
bool has_vnni();

}  // namespace transmuter
