/* The list of elements. An element is one line here, one file in src/element/, one test and one row in docs/methods.md:
   X(field, path, unit of stiffness, unit of damping, default stiffness, default damping, sentence) The field names the
   member of tl_elements_def and the class tl_element_<field>; the three parameters path.on, path.stiffness and
   path.damping come from the line. */
#ifndef TELAR_ELEMENTS_H
#define TELAR_ELEMENTS_H

#include "telar/types.h"

/* clang-format off */
#define TL_ELEMENTS(X) \
    X(link_structural,   "link.structural",   "N/m", "N·s/m", 1e6, 0, "Links along the edges of the mesh (on a grid: along rows and columns).") \
    X(link_shear,        "link.shear",        "N/m", "N·s/m", 1e4, 0, "Links across the diagonals.") \
    X(link_bend,         "link.bend",         "N/m", "N·s/m", 1, 0, "Links between particles two edges apart.") \
    X(link_disc,         "link.disc",         "N/m", "N·s/m", 40, 0.01, "Links to the 20 nearest neighbours of a grid, weighted by 1/distance.") \
    X(continuum_stretch, "continuum.stretch", "N/m²", "N·s/m²", 500, 0.2, "Stretch of triangles along warp and weft.") \
    X(continuum_shear,   "continuum.shear",   "N/m²", "N·s/m²", 50, 0.2, "Shear of triangles between warp and weft.") \
    X(continuum_bend,    "continuum.bend",    "N·m", "N·m·s", 1e-5, 1e-7, "Bending across the edges between triangles.") \
    X(membrane_warp,     "membrane.warp",     "N/m", "N·s/m", 500, 1, "Stretch of triangles along warp, of the same stiffness on every mesh.") \
    X(membrane_weft,     "membrane.weft",     "N/m", "N·s/m", 500, 1, "Stretch of triangles along weft, of the same stiffness on every mesh.") \
    X(membrane_shear,    "membrane.shear",    "N/m", "N·s/m", 50, 0.1, "Shear of triangles between warp and weft, of the same stiffness on every mesh.") \
    X(bend_quadratic,    "bend.quadratic",    "N·m", "N·m·s", 2e-5, 2e-7, "Bending of a sheet that was flat, the same on every mesh; its stiffness matrix never changes.") \
    X(bend_curvature,    "bend.curvature",    "N·m", "N·m·s", 2e-5, 2e-7, "Bending as curvature of the surface, the same on every mesh, also for shapes that start curved.") \
    X(link_elastic,      "link.elastic",      "N", "N·s", 25, 0.05, "Elastic bands along edges that the mesh names, such as elastic seams: force per strain.")
/* clang-format on */

/* One element of a cloth; TL_ELEMENTS gives the units of each. */
typedef struct tl_element_def {
    bool on;
    tl_real stiffness;
    tl_real damping;
} tl_element_def;

#define TL_ELEMENT_FIELD(field, path, unit, damping_unit, stiffness, damping, help) tl_element_def field;
typedef struct tl_elements_def {
    TL_ELEMENTS(TL_ELEMENT_FIELD)
} tl_elements_def;
#undef TL_ELEMENT_FIELD

#define TL_ELEMENT_INDEX(field, path, unit, damping_unit, stiffness, damping, help) TL_ELEMENT_##field,
enum { TL_ELEMENTS(TL_ELEMENT_INDEX) TL_ELEMENT_COUNT };
#undef TL_ELEMENT_INDEX

/* The gas inside a closed cloth (src/element/gas.h has the equations). It is not in the list above: it acts on the
   whole surface at once and has no stiffness of its own. */
typedef struct tl_gas_def {
    bool on;
    tl_real nrt;                   /* J, n R T: pressure times volume; 0: derived from `overpressure` at the start */
    tl_real overpressure;          /* Pa, gauge pressure in the starting shape, used when nrt is 0 */
    tl_real outside;               /* Pa, ambient pressure */
    const char *process;           /* "isothermal", "adiabatic" */
    tl_real gamma;                 /* 1, ratio of specific heats, for the adiabatic process */
    tl_real temperature;           /* K, of the gas when filled in */
    tl_real molar_mass;            /* kg/mol */
    tl_real depth;                 /* m; above 0: rigid walls of this depth behind the cloth's rim close the surface */
    tl_real pump;                  /* W, n R T pumped in per second; negative: out */
    tl_real pump_start, pump_stop; /* s */
    tl_real leak;                  /* m², area of the hole times its discharge coefficient */
    tl_real leak_start;            /* s */
    int leak_vertex;               /* vertex at the hole, where the jet pushes; -1: pores everywhere, no thrust */
} tl_gas_def;

#endif
