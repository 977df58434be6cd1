// The picture: renderer, lights, floor, cloths and bodies, in the studio look or in that of S3.
import {
    ACESFilmicToneMapping, AmbientLight, AxesHelper, Box3, Color, DirectionalLight, Fog, Mesh, MeshPhongMaterial, MeshPhysicalMaterial,
    NoToneMapping, VSMShadowMap, PerspectiveCamera, PlaneGeometry, PMREMGenerator, Quaternion, Scene, Sphere, SRGBColorSpace,
    Vector2, Vector3, WebGLRenderer, type Texture,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import type { BodyShape, Built, Frame } from '../sim/protocol';
import { Backdrop, BACKDROPS, SHOWPIECE_BACKDROPS } from './backdrop';
import { BodyView } from './bodies';
import { ClothView } from './cloth_view';
import { Floor } from './floor';
import { pushBack, type Pushed } from './push';
import type { Look } from './look';

const S3_SKY = 0xcce0ff;

export class Stage {
    readonly renderer: WebGLRenderer;
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(40, 1, 0.02, 500);
    readonly controls: OrbitControls;
    readonly cloths: ClothView[] = [];
    readonly bodies: BodyView[] = [];
    readonly backdrop = new Backdrop();
    private readonly environment: Texture;
    private readonly push: Pushed = { value: 0.01 };
    private readonly floorPush: Pushed = { value: 0.01 };
    private readonly floor = new Floor(this.floorPush);
    private readonly s3Floor: Mesh<PlaneGeometry, MeshPhongMaterial>;
    private readonly sun = new DirectionalLight();
    private readonly rim = new DirectionalLight();
    private readonly ambient = new AmbientLight(0x666666, Math.PI);
    private readonly axes = new AxesHelper(0.75);
    private readonly bodyMaterial: MeshPhysicalMaterial;
    private readonly bodyPhong: MeshPhongMaterial;
    private readonly shadowBounds = new Sphere();
    private look: Look | null = null;
    private theme: 'dark' | 'light' = 'dark';
    private fieldOfView = 40;
    shadowSize = 2048;
    private edge = 0.02; // m, mean of the coarsest cloth
    private shift = 0;
    private lift = 0;

    constructor(readonly canvas: HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
        this.renderer.outputColorSpace = SRGBColorSpace;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = VSMShadowMap;
        const generator = new PMREMGenerator(this.renderer);
        this.environment = generator.fromScene(new RoomEnvironment(), 0.03).texture;
        generator.dispose();
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.08;
        this.bodyMaterial = pushBack(
            new MeshPhysicalMaterial({ roughness: 0.5, clearcoat: 0.35, clearcoatRoughness: 0.35 }), this.push, 'telar-body');
        this.bodyPhong = pushBack(new MeshPhongMaterial(), this.push, 'telar-body-phong');
        this.s3Floor = new Mesh(
            new PlaneGeometry(200, 200).rotateX(-Math.PI / 2),
            pushBack(new MeshPhongMaterial({ color: 0x00ff00, specular: 0x111111 }), this.floorPush, 'telar-floor-phong'),
        );
        this.s3Floor.receiveShadow = true;
        this.sun.castShadow = true;
        this.scene.add(this.backdrop, this.sun, this.sun.target, this.rim, this.ambient, this.axes, this.floor, this.s3Floor);
    }

    build(built: Built): void {
        for (const view of [...this.cloths, ...this.bodies]) {
            this.scene.remove(view.object);
            view.dispose();
        }
        this.cloths.length = this.bodies.length = 0;
        for (const shape of built.cloths) this.cloths.push(new ClothView(shape));
        for (const shape of built.bodies) this.bodies.push(new BodyView(shape, this.bodyMaterial));
        this.scene.add(...this.cloths.map(({ object }) => object), ...this.bodies.map(({ object }) => object));
        this.shadowBounds.radius = 0;
        this.update(built.frame);
        const edge = Math.max(...this.cloths.map((cloth) => cloth.edge()), 0.002);
        this.edge = edge;
        this.push.value = Math.min(0.9 * edge, 0.08);
        this.floorPush.value = Math.min(0.4 * edge, 0.05);
    }

    addBody(shape: BodyShape): void {
        const body = new BodyView(shape, this.bodyMaterial);
        this.bodies.push(body);
        this.scene.add(body.object);
    }

    bodyColour(): [number, number, number] {
        return this.bodyMaterial.color.toArray() as [number, number, number];
    }

    angle(): number {
        return this.fieldOfView;
    }

    /** Everything but the infinite floors. */
    bounds(): Sphere {
        const box = new Box3();
        for (const { bounds } of this.cloths) box.union(new Box3().setFromCenterAndSize(bounds.center, new Vector3(1, 1, 1).multiplyScalar(1.3 * bounds.radius)));
        for (const { object, mesh } of this.bodies) if (mesh && object.visible) box.expandByObject(object);
        return box.isEmpty() ? new Sphere(new Vector3(), 1) : box.getBoundingSphere(new Sphere());
    }

    update(frame: Frame): void {
        frame.cloths.forEach((cloth, k) => this.cloths[k]?.update(cloth));
        frame.bodies.forEach((body, k) => this.bodies[k]?.update(body));
    }

    show(look: Look): void {
        this.look = look;
        const s3 = look.s3;
        this.renderer.toneMapping = s3 ? NoToneMapping : ACESFilmicToneMapping;
        this.renderer.toneMappingExposure = 1;
        this.scene.fog = s3 ? new Fog(S3_SKY, 5, 100) : null;
        this.scene.background = s3 ? new Color(S3_SKY) : null;
        this.scene.environment = s3 ? null : this.environment;
        this.scene.environmentIntensity = look.ambient;
        this.backdrop.visible = !s3;
        this.ambient.visible = s3;
        this.axes.visible = look.axes;
        this.rim.visible = !s3;
        if (s3) {
            this.sun.color.set(0xdfebff);
            this.sun.intensity = 1.75 * Math.PI;
        } else {
            this.sun.color.copy(look.sunColor);
            this.sun.intensity = look.sun;
            this.rim.color.set(0xbfd4ff);
            this.rim.intensity = 0.28 * look.sun;
        }
        this.sun.visible = look.sun > 0 || s3;
        const plane = this.bodies.findIndex(({ shape }) => shape.shape === 'plane');
        const at = plane < 0 ? null : this.bodies[plane].object;
        for (const floor of [this.floor, this.s3Floor]) {
            floor.visible = at !== null && at.visible && (floor === this.s3Floor) === s3;
            if (at) {
                floor.position.copy(at.position);
                floor.quaternion.copy(at.quaternion);
            }
        }
        this.floor.settings.uGrid.value = look.grid ? (this.theme === 'dark' ? 0.11 : 0.10) : 0;
        this.floor.settings.uGridColour.value.set(this.theme === 'dark' ? 0xffffff : 0x3a3a44);
        this.floor.material.opacity = this.theme === 'dark' ? 0.62 : 0.36;
        this.floor.settings.uReach.value = Math.max(4, 4 * this.bounds().radius);
        this.backdrop.show((look.warm ? SHOWPIECE_BACKDROPS : BACKDROPS)[this.theme]);
        this.cloths.forEach((cloth, k) => cloth.show(look.cloths[k] ?? look.cloths[0], look.overlayHigh, look.pins));
        this.bodyMaterial.color.copy(look.body);
        this.bodyMaterial.roughness = look.bodyRoughness;
        this.bodyMaterial.metalness = look.bodyMetal;
        for (const body of this.bodies) {
            if (!body.mesh) continue;
            body.mesh.material = s3 ? this.bodyPhong : this.bodyMaterial;
        }
        this.bodyPhong.color.set(s3 ? look.body : 0xaaaaaa);
        this.bodyPhong.shininess = look.bodyShine;
    }

    setTheme(theme: 'dark' | 'light'): void {
        this.theme = theme;
        if (this.look) this.show(this.look);
    }

    /** Vertical angle, widened where the picture is narrow so that the same things stay in it. */
    setView(position: number[], target: number[], fieldOfView: number): void {
        this.fieldOfView = fieldOfView;
        this.camera.position.set(position[0], position[1], position[2]);
        this.controls.target.set(target[0], target[1], target[2]);
        this.lens();
        this.controls.update();
    }

    /** Looks at everything from the front and above. */
    frame(): void {
        const { center, radius } = this.bounds();
        const distance = (1.15 * radius) / Math.sin((Math.min(this.fieldOfView, 60) * Math.PI) / 360);
        const way = new Vector3(0.55, 0.38, 0.75).normalize().multiplyScalar(distance);
        this.setView(way.add(center).toArray(), center.toArray(), this.fieldOfView);
    }

    /** Moves the picture aside by a part of its width, to leave room for words. */
    aside(part: number, up = 0): void {
        this.shift = part;
        this.lift = up;
        this.lens();
    }

    private lens(): void {
        const wanted = (this.fieldOfView * Math.PI) / 180;
        const least = 1.15; // below this aspect the width decides
        const angle = this.camera.aspect < least ? 2 * Math.atan((Math.tan(wanted / 2) * least) / Math.max(this.camera.aspect, 0.35)) : wanted;
        this.camera.fov = Math.min((angle * 180) / Math.PI, 100);
        const size = this.renderer.getSize(new Vector2());
        if (this.shift || this.lift) this.camera.setViewOffset(size.x, size.y, -this.shift * size.x, this.lift * size.y, size.x, size.y);
        else this.camera.clearViewOffset();
        this.camera.updateProjectionMatrix();
    }

    resize(width: number, height: number, ratio: number): void {
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(height, 1);
        this.lens();
    }

    private placeSun(): void {
        const look = this.look;
        if (!look) return;
        const all = this.bounds();
        // a smooth frame: follow only what has left it, so that shadows do not crawl
        const held = this.shadowBounds;
        const outside = all.center.distanceTo(held.center) + all.radius > held.radius;
        if (outside || all.radius < 0.4 * held.radius) held.set(all.center, all.radius * 1.25);
        const radius = Math.min(Math.max(held.radius, 0.2), look.s3 ? 10 : 60);
        const away = look.s3 ? new Vector3(0.65, 2.6, 1.3) : look.sunDirection.clone().normalize();
        const camera = this.sun.shadow.camera;
        this.sun.target.position.copy(held.center);
        this.sun.position.copy(held.center).addScaledVector(away.normalize(), 3 * radius);
        camera.left = camera.bottom = -radius;
        camera.right = camera.top = radius;
        camera.near = 0.5 * radius;
        camera.far = 8 * radius;
        camera.updateProjectionMatrix();
        const shadow = this.sun.shadow;
        if (shadow.mapSize.x !== this.shadowSize) {
            shadow.mapSize.set(this.shadowSize, this.shadowSize);
            shadow.map?.dispose();
            shadow.map = null;
        }
        const texel = (2 * radius) / this.shadowSize;
        // a coarse cloth would cast the corners of its triangles on itself where the light grazes it
        shadow.normalBias = Math.max(3.5 * texel, look.s3 ? 0 : 0.7 * this.edge);
        shadow.bias = -0.0004;
        shadow.radius = look.s3 ? 2 : 7;
        shadow.blurSamples = 14;
        this.rim.position.set(-away.x, Math.max(0.35, 0.4 * away.y), -away.z).multiplyScalar(5);
    }

    render(): void {
        this.placeSun();
        this.renderer.render(this.scene, this.camera);
    }

    /** Where a point lies in the picture, px from the top left. */
    project(point: Vector3): { x: number; y: number } {
        const p = point.clone().project(this.camera);
        return { x: ((p.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - p.y) / 2) * this.canvas.clientHeight };
    }

    view(): { position: number[]; target: number[]; turn: Quaternion } {
        return { position: this.camera.position.toArray(), target: this.controls.target.toArray(), turn: this.camera.quaternion.clone() };
    }
}
