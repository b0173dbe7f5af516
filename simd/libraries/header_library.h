// SPDX-License-Identifier: MIT
/* Names a library of headers and its version in the object that is compiled from it: in a section
 * that is not loaded, which the build reads (src/build/object.h). */
#ifndef HEADER_LIBRARY_H
#define HEADER_LIBRARY_H

#define HEADER_TEXT(a) #a
#define HEADER_LIBRARY(name, major, minor, patch)                                                  \
    HEADER_SECTION(name " " HEADER_TEXT(major) "." HEADER_TEXT(minor) "." HEADER_TEXT(patch))
#define HEADER_SECTION(text)                                                                       \
    __asm__(".pushsection .ulplab.library,\"\",@progbits\n.string \"" text "\"\n.popsection")

#endif
