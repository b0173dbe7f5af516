// SPDX-License-Identifier: MIT
/* The main() of test programs that have none of their own. */
#include "test.h"

int main(void)
{
    return test_run();
}
