#include "cli/bench/bullet.h"

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <new>
#include <vector>

struct bullet_sheet {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSphereShape ball{btScalar(0.5)};
    btStaticPlaneShape floor{btVector3(0, 1, 0), 0};
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::unique_ptr<btSoftBody> cloth;
};

static void add_body(bullet_sheet *sheet, btCollisionShape *shape, const btVector3 &position)
{
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shape);
    info.m_startWorldTransform.setOrigin(position);
    info.m_friction = btScalar(0.5);
    sheet->bodies.emplace_back(new btRigidBody(info));
    sheet->world.addRigidBody(sheet->bodies.back().get());
}

static btVector3 position_of(int drape, int n, double side, int row, int column)
{
    btScalar x = btScalar(side * column / (n - 1) - side / 2), y = btScalar(side / 2 - side * row / (n - 1));
    if (drape)
        return btVector3(x + btScalar(0.01), btScalar(1.2), btScalar(0.02) - y);
    return btVector3(x, y, btScalar(0.001 * std::sin(12.0 * column / n) * std::sin(9.0 * row / n)));
}

static void add_links(btSoftBody *cloth, int n)
{
    static const int reach[6][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}, {0, 2}, {2, 0}}; /* structural, shear, bend */
    for (int k = 0; k < 6; ++k)
        for (int row = 0; row + reach[k][0] < n; ++row)
            for (int column = 0; column < n; ++column) {
                int other = column + reach[k][1];
                if (other >= 0 && other < n)
                    cloth->appendLink(row * n + column, (row + reach[k][0]) * n + other);
            }
    for (int row = 0; row + 1 < n; ++row)
        for (int column = 0; column + 1 < n; ++column) {
            int a = row * n + column;
            cloth->appendFace(a, a + n, a + 1);
            cloth->appendFace(a + 1, a + n, a + n + 1);
        }
}

static void add_cloth(bullet_sheet *sheet, int drape, int n, double side, double mass, int sweeps)
{
    std::vector<btVector3> positions;
    std::vector<btScalar> masses;
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column) {
            bool rim = row % (n - 1) == 0, end = column % (n - 1) == 0;
            positions.push_back(position_of(drape, n, side, row, column));
            masses.push_back(btScalar(mass / ((n - 1) * (n - 1)) * (rim ? 0.5 : 1) * (end ? 0.5 : 1)));
        }
    sheet->cloth.reset(new btSoftBody(&sheet->world.getWorldInfo(), n * n, positions.data(), masses.data()));
    btSoftBody *cloth = sheet->cloth.get();
    add_links(cloth, n);
    cloth->m_cfg.piterations = sweeps;
    cloth->m_cfg.kDF = btScalar(0.5);
    cloth->m_cfg.collisions = drape ? btSoftBody::fCollision::SDF_RS : 0;
    cloth->getCollisionShape()->setMargin(btScalar(0.005));
    if (!drape) {
        cloth->setMass(0, 0);
        cloth->setMass(n - 1, 0);
    }
    sheet->world.addSoftBody(cloth);
}

bullet_sheet *bullet_create(int drape, int n, double side, double mass, int sweeps)
{
    bullet_sheet *sheet = new (std::nothrow) bullet_sheet;
    if (!sheet)
        return nullptr;
    btVector3 gravity(0, btScalar(-9.81), 0);
    sheet->world.setGravity(gravity);
    sheet->world.getWorldInfo().m_gravity = gravity;
    sheet->world.getWorldInfo().m_sparsesdf.Initialize();
    if (drape) {
        add_body(sheet, &sheet->ball, btVector3(0, btScalar(0.5), 0));
        add_body(sheet, &sheet->floor, btVector3(0, 0, 0));
    }
    add_cloth(sheet, drape, n, side, mass, sweeps);
    return sheet;
}

void bullet_step(bullet_sheet *sheet, double dt)
{
    sheet->world.stepSimulation(btScalar(dt), 0);
    sheet->world.getWorldInfo().m_sparsesdf.GarbageCollect();
}

void bullet_position(const bullet_sheet *sheet, int node, double x[3])
{
    for (int c = 0; c < 3; ++c)
        x[c] = double(sheet->cloth->m_nodes[node].m_x[c]);
}

void bullet_destroy(bullet_sheet *sheet)
{
    if (!sheet)
        return;
    sheet->world.removeSoftBody(sheet->cloth.get());
    for (auto &body : sheet->bodies)
        sheet->world.removeRigidBody(body.get());
    delete sheet;
}
