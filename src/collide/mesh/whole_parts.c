/* Whole parts of a mesh. That like normals rule out self-contact holds for one piece of surface whose contour does not
   cross itself (Volino and Magnenat-Thalmann 1994). Two sheets of one mesh have like normals and meet all the same, and
   so do the two sides of a slit, a dart or a hole. Following the contour as it moves would cost too much; what the mesh
   never changes is known beforehand: a part is whole when all its faces hang together by common particles, and the
   border of the mesh hardly turns inwards along it. */
#include "collide/mesh/whole_parts.h"

#include "core/trig.h"

#define PI 3.14159265358979323846

/* Inward turn of the border of a whole part, rad: sides that diverge by this angle can only meet when the cloth between
   them is sheared by as much. The end of a slit turns by π, the corner of a square hole by π/2. */
#define INWARD_TURN 0.5

/* Rest angle of a face at the origin of half-edge h, rad. */
static double rest_angle(const tl_mesh *mesh, int h)
{
    int next = tl_half_next(h), prev = tl_half_prev(h);
    double u = (double)mesh->rest_u[next] - (double)mesh->rest_u[h],
           v = (double)mesh->rest_v[next] - (double)mesh->rest_v[h],
           s = (double)mesh->rest_u[prev] - (double)mesh->rest_u[h],
           t = (double)mesh->rest_v[prev] - (double)mesh->rest_v[h];
    return tl_atan2(fabs(u * t - v * s), u * s + v * t);
}

/* Angle by which the border turns inwards at a particle, rad: what its faces have beyond half a turn; 0 inside the
   mesh. Where borders meet in one particle, a full turn: the pieces beside it are joined in a point only. */
static double inward_turn(const tl_mesh *mesh, int particle)
{
    int borders = 0;
    double angle = 0;
    for (int k = mesh->particle_face_start[particle]; k < mesh->particle_face_start[particle + 1]; ++k) {
        int h = mesh->particle_face[k];
        borders += (mesh->twin[h] < 0) + (mesh->twin[tl_half_prev(h)] < 0);
        angle += rest_angle(mesh, h);
    }
    return borders == 0 ? 0 : borders > 2 ? 2 * PI : fmax(angle - PI, 0);
}

/* Union and find over particles (Tarjan 1975), with path halving. */
static int find(int *parent, int p)
{
    while (parent[p] != p) {
        parent[p] = parent[parent[p]];
        p = parent[p];
    }
    return p;
}

static bool is_whole(const tl_face_tree *tree, int first, int count, const double *turn, int *parent)
{
    int pieces = 0;
    double inward = 0;
    for (int k = first; k < first + count; ++k)
        for (int c = 0; c < 3; ++c)
            parent[tree->face[3 * (size_t)tree->order[k] + (size_t)c]] = -1;
    for (int k = first; k < first + count; ++k) {
        const int *p = tree->face + 3 * (size_t)tree->order[k];
        for (int c = 0; c < 3; ++c)
            if (parent[p[c]] < 0) { /* met for the first time */
                parent[p[c]] = p[c];
                inward += turn[p[c]];
                ++pieces;
            }
        for (int c = 1; c < 3; ++c) {
            int a = find(parent, p[0]), b = find(parent, p[c]);
            parent[b] = a;
            pieces -= a != b;
        }
    }
    return pieces == 1 && inward <= INWARD_TURN;
}

/* Nodes of a level that holds groups of so many faces. */
static void find_level(tl_face_tree *tree, int level, long faces, const double *turn, int *parent)
{
    if (level > 1 && tree->groups[level - 2] == 1) { /* the same faces as below */
        tree->group[level][0].whole = tree->group[level - 1][0].whole;
        return;
    }
    for (int n = 0; n < tree->groups[level - 1]; ++n) {
        long first = n * faces, left = tree->face_count - first;
        if (is_whole(tree, (int)first, (int)(left < faces ? left : faces), turn, parent))
            tree->group[level][n / TL_TREE_WIDTH].whole |= (unsigned char)(1 << n % TL_TREE_WIDTH);
    }
}

bool tl_face_tree_find_whole(tl_face_tree *tree, const tl_mesh *mesh, const tl_allocator *allocator)
{
    size_t particles = (size_t)mesh->particle_count;
    double *turn = tl_allocate(allocator, particles, sizeof *turn);
    int *parent = tl_allocate(allocator, particles, sizeof *parent);
    bool made = turn && parent;
    for (int p = 0; made && p < mesh->particle_count; ++p)
        turn[p] = inward_turn(mesh, p);
    long faces = TL_TREE_WIDTH;
    for (int level = 1; made && level < TL_TREE_LEVELS; ++level, faces *= TL_TREE_WIDTH)
        find_level(tree, level, faces, turn, parent);
    tl_release(allocator, turn);
    tl_release(allocator, parent);
    return made;
}
