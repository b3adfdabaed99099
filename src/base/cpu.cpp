#include "base/cpu.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace transmuter {

bool has_vnni() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  const bool avx512_vnni = (ecx & (1U << 11U)) != 0;
  const bool amx_int8 = (edx & (1U << 25U)) != 0;
  return __builtin_cpu_supports("avx2") != 0 && (avx512_vnni || amx_int8);
#else
  return false;
#endif
}

}  // namespace transmuter
