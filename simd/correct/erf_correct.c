// SPDX-License-Identifier: MIT
/* y = erf(x) = x p(x^2), correctly rounded: correct.h.
 *
 * BY_TABLE: p of each of 16 parts, in the middle of which x^2 is a whole number m. */
#include "correct.h"

#define OP "erf"
enum { LEAST_BITS = 0, MOST_BITS = 0x407adfa4 }; /* 3.9199, beyond which y is 1 or -1 */

/* erf(x) / x as a polynomial of x^2 - erf_middle, to 2^-54. */
static const double erf_middle = 0x1.ebb98c7e28240p2;
static const double erf_c[] = {
    0x1.7164fe350c92ep-2,   -0x1.801257dc00c95p-6,   0x1.29b7037aafebcp-9,
    -0x1.f8d4e4746bf67p-13, 0x1.b44d859e0235bp-16,   -0x1.730aba779c2ep-19,
    0x1.2fb7935fadf7p-22,   -0x1.d8098e5bcc8f8p-26,  0x1.59841c03deab8p-29,
    -0x1.daa26f2b8f62ep-33, 0x1.318fa06014b71p-36,   -0x1.70f29807c30b8p-40,
    0x1.a26011b01dd52p-44,  -0x1.be710e0022479p-48,  0x1.c14b996872411p-52,
    -0x1.ab6fa2647c69fp-56, 0x1.8147f11ba3ce8p-60,   -0x1.49d07cfebc9b9p-64,
    0x1.0cc16531d909fp-68,  -0x1.a14e8232ab647p-73,  0x1.34acc2dafefa6p-77,
    -0x1.b847b947f9c09p-82, 0x1.33d0db37461ecp-86,   -0x1.899190bd2df3dp-91,
    0x1.9ec0ce0725145p-96,  -0x1.15f4004ab9e63p-100, 0x1.17db7b6efe18cp-104,
    -0x1.18358479d78e4p-109};

/* erf(x) / x as polynomials of x^2 - m, to 2^-53.3. A row has 16 places. */
static const double erf_parts[16][16] = {
    {0x1.20dd750429b6dp0, -0x1.812746b0379b7p-2, 0x1.ce2f21a04059p-4, -0x1.b82ce311a50b1p-6,
     0x1.565bccdf5cc2ep-8, -0x1.c02da81a0ed9dp-11, 0x1.f9a137a71fd44p-14, -0x1.f49d80a1d9ee4p-17,
     0x1.b637f640b9cbap-20, -0x1.361d5f000566ap-23, -0x1.6bacb3059f2c2p-31, 0x1.25ab3cfd8222dp-28},
    {0x1.af767a741088bp-1, -0x1.b5db0451254f1p-3, 0x1.cf6d2bc5785eap-5, -0x1.9b3c1054f1aaep-7,
     0x1.31cd0cec00f7ap-9, -0x1.84227ca8883bdp-12, 0x1.ac2511ec36ba4p-15, -0x1.a0dfbd8ae54fdp-18,
     0x1.6aebf2f8af406p-21, -0x1.1d8b646ccbdd7p-24, 0x1.9b6eae1361633p-28, -0x1.0da70a49be867p-31},
    {0x1.5990d95f8c2b3p-1, -0x1.0b60e85d30896p-3, 0x1.e962f50e23183p-6, -0x1.8ea53db5a6e8cp-8,
     0x1.18a17bf13e2b8p-10, -0x1.5712a48441fd7p-13, 0x1.7056173a313ebp-16, -0x1.5f6c6770859aap-19,
     0x1.2d26f34fa5986p-22, -0x1.d3f6a717aec29p-26, 0x1.4dc95023b1113p-29, -0x1.b2a101a8616ffp-33},
    {0x1.235fdd6c7e25cp-1, -0x1.5e25e1d221312p-4, 0x1.117201aa6875cp-6, -0x1.931dadf451111p-9,
     0x1.09c2f53339a4p-11, -0x1.369029af4259bp-14, 0x1.42cd31b8c098bp-17, -0x1.2ca112aa72416p-20,
     0x1.f9c42978042eap-24, -0x1.833b23d7856b8p-27, 0x1.10a4bc948807ap-30, -0x1.600594752c32ep-34},
    {0x1.fd9ae142795e3p-2, -0x1.e8712759a9c41p-5, 0x1.440169b1a040dp-7, -0x1.ab23d0a3b7dd3p-10,
     0x1.04e0cc5fda8p-12, -0x1.20fd5f94abfe8p-15, 0x1.2106d64fca463p-18, -0x1.0593e9b60b71fp-21,
     0x1.ae88b1854404dp-25, -0x1.44049b770db34p-28, 0x1.c3b2b8959b62cp-32, -0x1.2223770c2f592p-35},
    {0x1.c93ad78332848p-2, -0x1.678e37a7d1ea3p-5, 0x1.968da2f808201p-8, -0x1.dba2a693e7ba7p-11,
     0x1.0a8252f5758e2p-13, -0x1.1579db395e5e8p-16, 0x1.093c407a38fcbp-19, -0x1.d02cc9afe5c12p-23,
     0x1.7450af6b50009p-26, -0x1.12a6aebbb4acep-29, 0x1.7616a20c0cfd3p-33, -0x1.d6a548aa5e21bp-37},
    {0x1.a1d2e79b2a855p-2, -0x1.14a3cbfb1abadp-5, 0x1.0d009249be9p-8, -0x1.168641956cde8p-11,
     0x1.1c3618d3c43d9p-14, -0x1.13e1206b321a8p-17, 0x1.f492ec776607bp-21, -0x1.a521cdc804cf4p-24,
     0x1.47d2b8bc75d56p-27, -0x1.d88d05a834cb8p-31, 0x1.3669b136ddf3cp-34, -0x1.740616d7b9257p-38},
    {0x1.82f701778d923p-2, -0x1.b90a9905b373cp-6, 0x1.7538051dbcb2fp-9, -0x1.569a2276f6077p-12,
     0x1.3ce9cb5858adp-15, -0x1.1cdda4e19f4dcp-18, 0x1.e7419ea73c85ep-22, -0x1.87d31da2514a3p-25,
     0x1.267699ff4ae6bp-28, -0x1.9d00eb6523875p-32, 0x1.1ee3f4bd38093p-35, -0x1.6904cb2b647d5p-39},
    {0x1.6a040781a499cp-2, -0x1.69a0ccda3df49p-6, 0x1.0dabaf06144b9p-9, -0x1.b92e95c194553p-13,
     0x1.717efc73ab0dep-16, -0x1.3215d8b20fcc5p-19, 0x1.ea980677500d1p-23, -0x1.76e87c22775d2p-26,
     0x1.0ebfbe99cb942p-29, -0x1.70061cffd0d4cp-33, 0x1.f67b061a1f5d1p-37, -0x1.3c722f70024b4p-40},
    {0x1.5553672d623fcp-2, -0x1.2f4621d57b885p-6, 0x1.9359ec4ce1083p-10, -0x1.28131ea6a1dbcp-13,
     0x1.c1be98e0301d7p-17, -0x1.567d66bebac76p-20, 0x1.fffb46d540171p-24, -0x1.71d8ca0c86ac4p-27,
     0x1.ff9dc043d17ep-31, -0x1.4f9c3922701f1p-34, 0x1.21355a9fc55a8p-38, -0x1.3f4f0a177f168p-42},
    {0x1.43d091cc1cfc3p-2, -0x1.03028323376a6p-6, 0x1.3679de29ab7ep-10, -0x1.9c2d70bcf0012p-14,
     0x1.1cf170fdcbc4p-17, -0x1.8edbc81e68099p-21, 0x1.1537a82b4b218p-24, -0x1.78f1396d7922cp-28,
     0x1.eef0dea05f21ep-32, -0x1.377874112487ap-35, 0x1.ebd6d9f65381bp-39, -0x1.73425cf54c5c7p-42},
    {0x1.34bf2ca63f3e9p-2, -0x1.c10ee2cd12eb9p-7, 0x1.e9a834d1161fdp-11, -0x1.2829bbfa91c9bp-14,
     0x1.768a191dd8968p-18, -0x1.e2a4252321f9p-22, 0x1.378b4b77fced7p-25, -0x1.8d6d3e83c4f61p-29,
     0x1.ebd379dbff1bfp-33, -0x1.2863acf6cb2b7p-36, 0x1.e9615658b35ddp-39, -0x1.314cb47207d12p-42},
    {0x1.279a61af56b65p-2, -0x1.8a20c08f0bdc4p-7, 0x1.8a0d5db91e7d5p-11, -0x1.b56e91e70ebdcp-15,
     0x1.fcb8c377d3d8ap-19, -0x1.2ea5f263615ap-22, 0x1.6b00d749c0312p-26, -0x1.b1ad48cc0d836p-30,
     0x1.0305f8e61a6bp-33, -0x1.2a71f328d1a61p-37, -0x1.08d110af90086p-39, 0x1.75d231c0a3625p-43},
    {0x1.1c01a3a8f21c6p-2, -0x1.5d8b0a7596e4dp-7, 0x1.42a12599cd05dp-11, -0x1.4ac3cf4d6ed37p-15,
     0x1.63a8e4801a0ap-19, -0x1.8834bfb30ebc3p-23, 0x1.b5d03188d8d8ep-27, -0x1.e9a8047660421p-31,
     0x1.0cdc2abada597p-34, -0x1.26391e98281ap-38, 0x1.602a63c610c78p-40, -0x1.51347827fa4eap-44},
    {0x1.11acec28fcc23p-2, -0x1.38c5583888148p-7, 0x1.0c149e34d42d2p-11, -0x1.fe8930933be28p-16,
     0x1.fe293d45fa57cp-20, -0x1.05c4d4fc24386p-23, 0x1.10a38ad206f84p-27, -0x1.1dadde38cbce7p-31,
     0x1.26bd00fdd4516p-35, -0x1.2e0a338ab7d15p-39, 0x1.c5eb34c7a9928p-41, -0x1.781dae423d85fp-44},
    {0x1.0865496da983cp-2, -0x1.1a058af2cbcdp-7, 0x1.c33a862e6f88p-12, -0x1.910f5741fdfa4p-16,
     0x1.7631a40ce1308p-20, -0x1.66d0791cc32ddp-24, 0x1.5dbc743049cf4p-28, -0x1.57e3785d263fep-32,
     0x1.596bbef55dedp-36, -0x1.5935c6d4771bap-40, -0x1.07ffacf23cd9fp-41, 0x1.0bb16f5a850efp-44}};

/* Returns terms k, k + 2, .. 10 + k of a polynomial. */
static inline dr dr_every_second(const double *c, dl part, dr square)
{
    dr sum = dr_lookup(c + 10, part);
#pragma GCC unroll 5
    for (size_t i = 5; i-- > 0;) sum = dr_fma(sum, square, dr_lookup(c + 2 * i, part));
    return sum;
}
static inline dr dr_by_table(dr x)
{
    dr z = dr_fma(x, x, dr_set1(0x1.8p52)); /* whose lowest bits are m */
    dr t = dr_fma(x, x, dr_sub(dr_set1(0x1.8p52), z)), square = dr_mul(t, t);
    dl part = dl_shl(dl_and(dl_of(z), dl_set1(15)), 4);
    dr odd = dr_every_second(&erf_parts[0][1], part, square);
    return dr_mul(x, dr_fma(odd, t, dr_every_second(erf_parts[0], part, square)));
}
static inline dr dr_value(dr x)
{
    if (BY_TABLE) return dr_by_table(x);
    return dr_mul(x, POLYNOMIAL(erf_c, dr_fma(x, x, dr_set1(-erf_middle))));
}
static inline vf y_elsewhere(vf x, vf y)
{
    (void)y;
    return i_if_less(x, 1, x, vf_by_doubles(i_clamp(x, 3.9199f), dr_value));
}
#include "correct_unary.h"
