// SPDX-License-Identifier: MIT
#include "publish/render/curve.h"

#include <math.h>

#include "publish/render/dialect.h"
#include "publish/render/markup.h"

void curve_begin(struct curve *c, FILE *out, int width, int height, const char *label)
{
    *c = (struct curve){.out = out};
    markup(out,
           "<figure class=\"curve\"><svg viewBox=\"-2 -2 %d %d\" role=\"img\" aria-label=\"%s\">",
           width + 4, height + 4, label);
}

static void write_last(struct curve *c)
{
    if (c->has_last && !c->is_last_written) fprintf(c->out, "%g,%g ", c->last_x, c->last_y);
    c->is_last_written = true;
}

static void end_line(struct curve *c)
{
    write_last(c);
    if (c->in_line) fputs("\"/>", c->out);
    c->in_line = c->has_last = false;
}

void curve_line(struct curve *c, const char *colour)
{
    end_line(c);
    markup(c->out, "<polyline fill=\"none\" stroke=\"var(--%s)\" stroke-width=\"1.5\" points=\"",
           colour);
    c->in_line = true;
}

void curve_point(struct curve *c, double x, double y)
{
    x = round(10 * x) / 10;
    y = round(10 * y) / 10;
    bool level = c->has_last && y == c->last_y;
    if (!level) write_last(c);
    c->last_x = x;
    c->last_y = y;
    c->has_last = true;
    c->is_last_written = false;
    if (!level) write_last(c);
}

void curve_end(struct curve *c, const char *format, const struct dialect_value *values)
{
    end_line(c);
    fputs("</svg><figcaption>", c->out);
    dialect_put(&dialect_html, c->out, format, values);
    fputs("</figcaption></figure>\n", c->out);
}
