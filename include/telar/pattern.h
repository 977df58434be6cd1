/* Sewing patterns: panels, stitches and parts of a garment, drafts from body measures, and the meshed panels that are
   placed round a figure and sewn. A pattern and its mesh are immutable and may be shared by threads. Lengths are
   metres, angles degrees, counter-clockwise. `tl_error *` and `const tl_allocator *` may be NULL everywhere.

   The outline of a panel runs counter-clockwise as seen from the right side of the cloth (its outside), so that a back
   panel in the x–y plane runs clockwise. The figure stands at the origin, feet at y = 0, facing +z, left hand at +x. */
#ifndef TELAR_PATTERN_H
#define TELAR_PATTERN_H

#include "telar/measures.h"
#include "telar/mesh.h"
#include "telar/param.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_pattern tl_pattern;

/* ---- what a pattern is -------------------------------------------------------------------------------------------
   Coordinates are doubles in both builds: a pattern is read from and written to files with all its digits. */

typedef enum tl_pattern_curve { TL_CURVE_LINE, TL_CURVE_QUADRATIC, TL_CURVE_CUBIC, TL_CURVE_CIRCLE } tl_pattern_curve;

typedef struct tl_pattern_edge_def {
    int start, end; /* vertices of the panel */
    tl_pattern_curve curve;
    double control[2]
                  [2]; /* quadratic: one point, cubic: two; x along the edge, y to its left, in lengths of the edge */
    double radius;     /* circle: m */
    bool large_arc;    /* circle: the longer of the two arcs */
    bool right;        /* circle: it bulges to the right of the edge */
    const char *label; /* "" or a name that anchors use ("lower_interface"); NULL is "" */
} tl_pattern_edge_def;

/* A line drawn on a panel: edges of the mesh follow it. */
typedef struct tl_pattern_line_def {
    const char *name;         /* NULL is "" */
    const double (*point)[2]; /* m; straight between the points, inside the outline */
    int point_count;
    bool fold;    /* the cloth is folded along it, by: */
    double angle; /* degrees at rest, 0 is flat, positive folds towards the right side */
} tl_pattern_line_def;

typedef struct tl_panel_def {
    const char *name;
    const double (*vertex)[2]; /* m */
    int vertex_count;
    /* Closed loops of edges, one after the other, each edge starting where the one before ended: the outline first,
       then holes (which run the other way round). */
    const tl_pattern_edge_def *edge;
    int edge_count;
    double translation[3]; /* m */
    double rotation[3];    /* degrees about x, y, z: R = Rz Ry Rx */
    const char *label;     /* body part, "" or "body", "arm", "leg" …; NULL is "" */
    const char *fabric;    /* name of a fabric, "" for the garment's; NULL is "" */
    double grain;          /* degrees of the lengthwise yarn from the panel's x axis; 90: along y */
    int layer;             /* order from the skin outwards within the garment */
    const char *wrap;      /* tl_pattern_wraps(): bone that the panel is laid round when it is placed; NULL is "none" */
    const tl_pattern_line_def *line;
    int line_count;
} tl_panel_def;

typedef enum tl_stitch_kind { TL_STITCH_PLAIN, TL_STITCH_FOLD, TL_STITCH_ELASTIC } tl_stitch_kind;

typedef struct tl_stitch_side {
    int panel, edge;
    double range[2]; /* fractions of the edge's length from its start; {0, 1} is all of it, as is {0, 0} */
} tl_stitch_side;

typedef struct tl_stitch_def {
    tl_stitch_side side[2];
    tl_stitch_kind kind;
    /* The end of one edge meets the start of the other, as right sides do; either of these makes starts meet, both
       together cancel. */
    bool right_wrong; /* a right side is sewn to a wrong side */
    bool reverse;
    double ratio;    /* elastic: sewn length over cut length; 0 is 1 */
    double angle;    /* fold: degrees at rest between the two panels, 0 is flat */
    double strength; /* bending stiffness of the seam in that of the fabric; 0 is the default, 4 */
} tl_stitch_def;

/* Edges with this label are held at a part of the body ("waist", "neck", "shoulder", "wrist.left" …). */
typedef struct tl_pattern_anchor_def {
    const char *label, *part;
} tl_pattern_anchor_def;

/* A button: two points of two panels. */
typedef struct tl_pattern_closure_def {
    int panel[2];
    double point[2][2]; /* m, in the coordinates of each panel */
} tl_pattern_closure_def;

typedef struct tl_pattern_def {
    const char *name; /* for messages; NULL is "pattern" */
    const tl_panel_def *panel;
    int panel_count;
    const tl_stitch_def *stitch;
    int stitch_count;
    const tl_pattern_anchor_def *anchor;
    int anchor_count;
    const tl_pattern_closure_def *closure;
    int closure_count;
    double units_in_meter; /* of the file that is written; 0 is 100 */
    const char *kept; /* members of the file that Telar does not use, as JSON objects in text; written back. NULL */
    const char *kept_properties; /* is "": none. Members of the file's "properties" likewise. */
} tl_pattern_def;

/* "none", "torso", "neck", "arm.left", "arm.right", "leg.left", "leg.right"; NULL-terminated. */
const char *const *tl_pattern_wraps(void);

/* Copies the definition. NULL on error; the message names panel, edge and reason: open or self-crossing outlines, edges
   without length, seams that lead nowhere, numbers that are not finite. */
tl_pattern *tl_pattern_create(const tl_pattern_def *def, const tl_allocator *allocator, tl_error *error);
void tl_pattern_destroy(tl_pattern *pattern); /* NULL is allowed */

/* The pattern's own copy: no pointer in it is NULL but arrays of count 0, ranges are filled in. */
const tl_pattern_def *tl_pattern_get_def(const tl_pattern *pattern);

int tl_pattern_find_panel(const tl_pattern *pattern, const char *name);        /* −1: none */
double tl_pattern_edge_length(const tl_pattern *pattern, int panel, int edge); /* m */
/* The point at a fraction of the edge's length, in the panel's plane, m. */
void tl_pattern_edge_point(const tl_pattern *pattern, int panel, int edge, double fraction, double point[2]);
/* A point of the panel's plane in space, as the file places it, m. */
void tl_pattern_place(const tl_pattern *pattern, int panel, const double point[2], double placed[3]);
double tl_pattern_panel_area(const tl_pattern *pattern, int panel); /* m² */
bool tl_stitch_is_parallel(const tl_stitch_def *stitch);            /* starts meet, instead of end and start */

/* Length that is sewn on each side, m, and their mismatch: longer / shorter − 1. */
double tl_pattern_stitch_lengths(const tl_pattern *pattern, int stitch, double length[2]);

/* ---- checks ------------------------------------------------------------------------------------------------------ */

typedef enum tl_seam_fault {
    TL_SEAM_GOOD,
    TL_SEAM_COLLAPSES,     /* in this direction both ends of a sewn edge become one point, in the other they do not */
    TL_SEAM_JOINS_CORNERS, /* it joins corners of a panel that no dart joins, and the other direction does not */
    TL_SEAM_TWISTED,       /* right sides cannot all be outside, with the other direction they can */
    TL_SEAM_FAR            /* a warning: as placed, the ends that meet are further apart than in the other direction */
} tl_seam_fault;

typedef struct tl_seam_check {
    tl_seam_fault fault;
    double mismatch;   /* longer / shorter − 1 */
    char message[320]; /* names the stitch, panels and edges; "" when it is good */
} tl_seam_check;

/* Checks the direction of every seam; `checks` has stitch_count entries. Returns the number of faults that are not
   warnings, −1 when memory is short. */
int tl_pattern_check_seams(const tl_pattern *pattern, tl_seam_check *checks);

/* ---- meshed panels ----------------------------------------------------------------------------------------------- */

typedef struct tl_panel_mesh_def {
    tl_real edge;        /* m, 0.002 … 0.2: side of the triangles */
    const char *lattice; /* "triangles" (default, also NULL) or "squares" */
} tl_panel_mesh_def;

typedef struct tl_panel_span {
    int first_vertex, vertex_count, first_triangle, triangle_count;
} tl_panel_span;

/* Vertices along an edge of a panel, from its start to its end, both included. */
typedef struct tl_panel_edge_span {
    int panel, edge;
    int first, count; /* in edge_vertex */
} tl_panel_edge_span;

typedef struct tl_panel_seam {
    int stitch;       /* -1: a closure, whose one pair are the vertices nearest to its points */
    int first, count; /* pairs, in seam_pair, in order along the first side */
} tl_panel_seam;

typedef struct tl_panel_line_span {
    int panel, line;  /* line of the panel's definition */
    int first, count; /* vertices in line_vertex, in order; neighbours share an edge of the mesh */
} tl_panel_line_span;

/* Vertices of one panel are consecutive, and so are its triangles. Triangles are counter-clockwise from the outside of
   the garment. */
typedef struct tl_panel_mesh_arrays {
    int vertex_count;
    const tl_real *uv;       /* two per vertex, m: u along the lengthwise yarn, for TL_REST_UV */
    const tl_real *flat;     /* two per vertex, m: in the panel's own plane, as the outline is given */
    const tl_vec3 *position; /* m, placed by the file's translation and rotation */
    const int *panel_of_vertex;
    int triangle_count;
    const int *triangle; /* three vertices each */
    const int *panel_of_triangle;
    int panel_count;
    const tl_panel_span *panel;
    int edge_span_count; /* all edges of all panels, in order */
    const tl_panel_edge_span *edge_span;
    const int *edge_vertex;
    int seam_count; /* one per stitch, in order, then one per closure */
    const tl_panel_seam *seam;
    const int *seam_pair; /* two vertices each: of the first side and of the second, the same one at a dart's tip */
    int line_count;
    const tl_panel_line_span *line;
    const int *line_vertex;
    int particle_count;            /* of the sewn garment */
    const int *particle_of_vertex; /* for tl_mesh_def.particle_of_vertex */
} tl_panel_mesh_arrays;

typedef struct tl_panel_mesh tl_panel_mesh;

/* Meshes all panels. NULL on error, with panel, edge and reason. The pattern may be destroyed before the mesh. Seams in
   directions that tl_pattern_check_seams refuses are errors here. */
tl_panel_mesh *tl_pattern_mesh(const tl_pattern *pattern, const tl_panel_mesh_def *def, tl_error *error);
void tl_panel_mesh_destroy(tl_panel_mesh *mesh); /* NULL is allowed */
const tl_panel_mesh_arrays *tl_panel_mesh_get(const tl_panel_mesh *mesh);

/* A garment mesh with these positions (NULL: as placed), rest shape from the flat panels. sewn: the vertices of every
   seam are one particle; otherwise only darts' tips and the like, which are one vertex anyway, are. */
tl_mesh *tl_panel_mesh_cloth(const tl_panel_mesh *mesh, const tl_vec3 *positions, bool sewn,
                             const tl_allocator *allocator, tl_error *error);

/* ---- drafts ------------------------------------------------------------------------------------------------------ */

/* Names of the drafts: "tank-top", "t-shirt", "trousers", "skirt", "dress", "poncho", "cape", "jacket";
   NULL-terminated. */
const char *const *tl_pattern_drafts(void);

/* Drafts a garment to measure, placed round the figure. Measures that are 0 are completed; `measures` may be NULL:
   all are. NULL on error: an unknown name, or measures that no body has. */
tl_pattern *tl_pattern_draft(const char *name, const tl_measures *measures, tl_error *error);

#ifdef __cplusplus
}
#endif

#endif
