// SPDX-License-Identifier: MIT
// c++ logsumexp.cc $(pkg-config --cflags --libs ulp) && ./a.out
#include <cstdio>
#include <ulp.h>
#include <vector>

int main()
{
    std::vector<float> x(100000, 1.0f), y(1);
    int status = ulp_logsumexp_f32(1, x.size(), x.data(), x.size(), y.data(), 1, nullptr, 0);
    std::printf("%a: %s\n", y[0], ulp_status_text(status));
    return status;
}
