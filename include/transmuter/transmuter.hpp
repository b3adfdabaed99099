#pragma once

#include "transmuter/error.hpp"
#include "transmuter/results.hpp"
#include "transmuter/serving.hpp"
#include "transmuter/source.hpp"
#include "transmuter/text.hpp"
