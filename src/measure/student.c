// SPDX-License-Identifier: MIT
#include "measure/student.h"

#include <math.h>

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
 * Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), result;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    result = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int k = 0; k < 2; k++) {
            double term = k ? odd : even;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            if (fabs(c) < tiny) c = tiny;
            result *= c * d;
        }
        if (fabs(c * d - 1) < 1e-14) break;
    }
    return result;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double freedom)
{
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_t(double p, double freedom)
{
    double low = 0, high = 1e6;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = 0.5 * (low + high);
        *(student_p(middle, freedom) > p ? &low : &high) = middle;
    }
    return high;
}
