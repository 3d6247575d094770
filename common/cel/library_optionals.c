/* SPDX-License-Identifier: Apache-2.0 */
#include "common/cel/function.h"

const struct cel_overload cel_library_optionals[] = {{0}};
