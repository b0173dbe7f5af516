/* The colour of a ratio. */
#ifndef ULPLAB_HEAT_H
#define ULPLAB_HEAT_H

/* The class of report.css for a ratio of speeds: from "heat h-3" (much slower) to "heat h3" (much
 * faster). */
const char *heat_of(double ratio);

#endif
