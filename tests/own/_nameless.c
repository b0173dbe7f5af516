// SPDX-License-Identifier: MIT
/* An empty file whose name begins with an underscore. Status: unbuilt */
