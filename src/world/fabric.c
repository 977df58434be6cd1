/* The table of fabrics: one row each, in SI units, with its source.

   WANG: H. Wang, J. O'Brien, R. Ramamoorthi 2011, "Data-driven elastic models for cloth: modeling and measurement", the
   row of smallest strain in the published files. Warp and weft are c11 and c22. The paper's law is σ_uv = c33 ε_uv with
   ε_uv half the shear angle, so the shear modulus is c33/2. The files' bending numbers belong to a simulator whose
   energy is a quarter of the plate's; B is therefore value/4, for bending along warp, the diagonal and weft.
   KES: instruments of S. Kawabata 1980, "The standardization and analysis of hand evaluation". 1 gf·cm²/cm of bending
   is 98.07 µN·m, 1 gf/(cm·°) of shear is 56.19 N/m. Tension is given as a curve F ~ strain^n from linearity and energy
   up to 490 N/m; warp and weft are its secant at 10 N/m, the load of the cloth's own weight. Wool is the mean of 214
   men's winter suitings that normalise Kawabata's hand values: log B −0.8673, log G −0.0143, log W 1.4208. Silk is no
   single sample: it has values typical of M. Matsudaira and S. Kawabata 1988, "A study of the mechanical properties of
   woven silk fabrics". Both were checked against the drape tester of X. Feng et al. 2022, whose fabrics of 60 … 80 g/m²
   have B of 0.5 … 20 µN·m, those of 250 … 280 g/m² 5 … 75 µN·m. */
#include "world/fabric.h"

#include "world/material.h"

#include <string.h>

/* Damping over stiffness, s. Chosen, not measured. */
static const tl_real STRETCH_TIME = (tl_real)0.002, BEND_TIME = (tl_real)0.01;

#define MICRO(x) ((tl_real)((x)*1e-6))
#define WANG(name, use, density, c11, c22, c33, b0, b45, b90, r, g, b, sheen)                                          \
    {                                                                                                                  \
        name, use, "Wang et al. 2011", (tl_real)density, c11, c22, (tl_real)(c33 / 2.0),                               \
            {MICRO(b0 / 4.0), MICRO(b45 / 4.0), MICRO(b90 / 4.0)}, {(tl_real)r, (tl_real)g, (tl_real)b},               \
            (tl_real)sheen                                                                                             \
    }
#define FABRIC(name, use, source, density, warp, weft, shear, b0, b45, b90, r, g, b, sheen)                            \
    {                                                                                                                  \
        name, use, source, (tl_real)density, warp, weft, shear, {MICRO(b0), MICRO(b45), MICRO(b90)},                   \
            {(tl_real)r, (tl_real)g, (tl_real)b}, (tl_real)sheen                                                       \
    }
/* clang-format off */
static const tl_fabric fabrics[] = {
    WANG("denim",      "jeans, 99 % cotton",                  0.324, 205, 1014, 53, 64, 73, 97,    0.13, 0.20, 0.36, 0.25),
    WANG("interlock",  "t-shirt, 60 % cotton, 40 % polyester", 0.187, 17, 34, 37, 23, 25, 14,      0.62, 0.63, 0.65, 0.35),
    WANG("rib-knit",   "underwear, 95 % cotton",              0.276, 43, 65, 83, 46, 30, 32,       0.93, 0.90, 0.82, 0.35),
    WANG("twill",      "trousers, 65 % cotton, 35 % polyester", 0.220, 2017, 2035, 105, 125, 108, 125, 0.14, 0.26, 0.60, 0.25),
    WANG("tablecloth", "tablecloth, polyester",               0.128, 2002, 2027, 19, 52, 41, 31,   0.90, 0.90, 0.88, 0.15),
    WANG("blanket",    "blanket, polyester",                  0.228, 152, 245, 30, 117, 88, 60,    0.55, 0.33, 0.24, 0.90),
    WANG("jet-set",    "jacket, polyester",                   0.113, 43, 171, 14, 14, 22, 20,      0.78, 0.16, 0.10, 0.20),
    WANG("sweater",    "sweater, 96 % polyester",             0.224, 12, 3, 18, 59, 40, 46,        0.16, 0.20, 0.38, 0.70),
    WANG("ponte-roma", "jacket, 60 % polyester, 40 % rayon",  0.284, 31, 44, 32, 36, 33, 37,       0.72, 0.58, 0.40, 0.40),
    WANG("swimsuit",   "swimsuit, 87 % nylon, 13 % spandex",  0.204, 48, 105, 61, 60, 59, 51,      0.93, 0.94, 0.95, 0.10),
    FABRIC("silk", "scarf, 16 momme crepe de chine", "typical of silk by KES, Matsudaira and Kawabata 1988; not one sample",
           0.069, 1300, 1300, 17, 3.9, 3.9, 3.9,  0.72, 0.10, 0.25, 0.15),
    FABRIC("wool", "winter suit, worsted wool", "KES, mean of 214 winter suitings, Kawabata 1980",
           0.263, 910, 910, 54, 13.3, 13.3, 13.3,  0.30, 0.29, 0.30, 0.60),
    {"jersey", "shirt, knitted cotton", "named by S4 without numbers: those of interlock, Wang et al. 2011", (tl_real)0.187, 17, 34, (tl_real)18.5,
     {MICRO(5.75), MICRO(6.25), MICRO(3.5)}, {(tl_real)0.24, (tl_real)0.45, (tl_real)0.42}, (tl_real)0.35},
    {"lycra", "sportswear, nylon and elastane", "named by S4 without numbers: those of swimsuit, Wang et al. 2011", (tl_real)0.204, 48, 105, (tl_real)30.5,
     {MICRO(15), MICRO(14.75), MICRO(12.75)}, {(tl_real)0.10, (tl_real)0.10, (tl_real)0.12}, (tl_real)0.10},
};
const char *const tl_fabric_name_list[] = {
    "custom", "denim", "interlock", "rib-knit", "twill", "tablecloth", "blanket", "jet-set", "sweater", "ponte-roma",
    "swimsuit", "silk", "wool", "jersey", "lycra", NULL};
/* clang-format on */
enum { FABRIC_COUNT = sizeof fabrics / sizeof *fabrics };
_Static_assert(sizeof tl_fabric_name_list / sizeof *tl_fabric_name_list == FABRIC_COUNT + 2, "one name per fabric");
_Static_assert(FABRIC_COUNT < UINT8_MAX, "tl_def_mark.fabric is a byte");

const tl_fabric *tl_fabric_named(const char *name)
{
    for (int k = 0; name && k < FABRIC_COUNT; ++k)
        if (strcmp(fabrics[k].name, name) == 0)
            return &fabrics[k];
    return NULL;
}

const char *const *tl_fabric_names(void) { return tl_fabric_name_list; }

tl_real tl_fabric_bend(const tl_fabric *fabric)
{
    return (fabric->bend[0] + 2 * fabric->bend[1] + fabric->bend[2]) / 4;
}

static void set(tl_element_def *element, tl_real stiffness, tl_real time)
{
    element->stiffness = stiffness;
    element->damping = stiffness * time;
}

void tl_fabric_apply(tl_cloth_def *def)
{
    const tl_fabric *fabric = tl_fabric_named(def->fabric);
    if (!fabric)
        return;
    def->density = fabric->density;
    set(&def->elements.membrane_warp, fabric->warp, STRETCH_TIME);
    set(&def->elements.membrane_weft, fabric->weft, STRETCH_TIME);
    set(&def->elements.membrane_shear, fabric->shear, STRETCH_TIME);
    set(&def->elements.bend_quadratic, tl_fabric_bend(fabric), BEND_TIME);
    set(&def->elements.bend_curvature, tl_fabric_bend(fabric), BEND_TIME);
    tl_material_choose(def, "fabric");
    def->mark.fabric = (uint8_t)(fabric - fabrics + 1);
}

static bool differ(tl_real a, tl_real b) { return a < b || a > b; }

/* *number becomes `fabric`, unless the user changed it from `before`. */
static void fill(tl_real *number, tl_real before, tl_real fabric)
{
    if (!differ(*number, before))
        *number = fabric;
}

void tl_fabric_resolve(tl_cloth_def *def)
{
    if (!tl_fabric_named(def->fabric))
        return;
    /* what the definition had before the user's changes: the defaults, and the fabric filled in since */
    tl_cloth_def before = tl_cloth_def_default(), full;
    before.fabric = tl_fabric_name_list[def->mark.fabric <= FABRIC_COUNT ? def->mark.fabric : 0];
    tl_fabric_apply(&before);
    full = before;
    full.fabric = def->fabric;
    tl_fabric_apply(&full);

    fill(&def->density, before.density, full.density);
    bool changed = strcmp(def->material, before.material) != 0;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        tl_element_def *element = &tl_element_array(&def->elements)[e];
        const tl_element_def *a = &tl_element_array(&before.elements)[e], *b = &tl_element_array(&full.elements)[e];
        fill(&element->stiffness, a->stiffness, b->stiffness);
        fill(&element->damping, a->damping, b->damping);
        changed |= element->on != a->on;
    }
    if (!changed)
        tl_material_choose(def, full.material);
    def->mark.fabric = full.mark.fabric;
}
