// Shapes of bodies as three.js geometry, of the size that the engine says.
import {
    BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, DynamicDrawUsage, Group, Mesh, SphereGeometry,
    type Material, type Object3D,
} from 'three';
import { RoundedBoxGeometry } from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';
import type { BodyFrame, BodyShape } from '../sim/protocol';

export class BodyView {
    readonly object: Object3D;
    readonly mesh: Mesh | null;
    hidden = false;
    private size = '';

    constructor(
        readonly shape: BodyShape,
        material: Material,
    ) {
        this.object = new Group();
        if (shape.shape === 'plane') {
            this.mesh = null;
            return;
        }
        this.mesh = new Mesh(this.first(), material);
        this.mesh.castShadow = true;
        this.mesh.receiveShadow = true;
        this.object.add(this.mesh);
    }

    private first(): BufferGeometry {
        if (this.shape.shape !== 'mesh') return new BufferGeometry();
        const geometry = new BufferGeometry();
        const position = new BufferAttribute(this.shape.positions, 3);
        position.setUsage(DynamicDrawUsage);
        geometry.setAttribute('position', position);
        geometry.setIndex(new BufferAttribute(this.shape.triangles, 1));
        geometry.computeVertexNormals();
        return geometry;
    }

    private resize(size: [number, number, number]): void {
        const key = size.join();
        if (!this.mesh || key === this.size || this.shape.shape === 'mesh') return;
        this.size = key;
        this.mesh.geometry.dispose();
        const [x, y, z] = size;
        this.mesh.scale.set(1, 1, 1);
        if (this.shape.shape === 'sphere') this.mesh.geometry = new SphereGeometry(Math.max(x, 1e-4), 72, 48);
        else if (this.shape.shape === 'ellipsoid') {
            this.mesh.geometry = new SphereGeometry(1, 72, 48);
            this.mesh.scale.set(x, y, z);
        } else if (this.shape.shape === 'capsule') this.mesh.geometry = new CapsuleGeometry(Math.max(x, 1e-4), y, 16, 40);
        else if (Math.min(x, y, z) > 0.2) this.mesh.geometry = new RoundedBoxGeometry(x, y, z, 3, 0.006);
        else this.mesh.geometry = new BoxGeometry(x, y, z);
    }

    update(frame: BodyFrame): void {
        this.object.visible = frame.on && !this.hidden;
        this.object.position.set(...frame.position);
        this.object.quaternion.set(...frame.rotation);
        this.resize(frame.size);
        if (frame.vertices && this.mesh) {
            const position = this.mesh.geometry.getAttribute('position') as BufferAttribute;
            position.array.set(frame.vertices);
            position.needsUpdate = true;
            this.mesh.geometry.computeVertexNormals();
        }
    }

    dispose(): void {
        this.mesh?.geometry.dispose();
    }
}
