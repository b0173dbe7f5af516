// SPDX-License-Identifier: MIT
/* Nothing, and a name that begins with an underscore. Status: unbuilt */
