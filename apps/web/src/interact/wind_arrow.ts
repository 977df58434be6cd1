// The wind as an arrow in the scene: drag its tip, and the air moves that way.
import { ArrowHelper, Plane, Vector3 } from 'three';
import type { App } from '../app';
import { aim } from './pick';

const LONGEST = 0.55; // of half the height of the picture, which no wind reaches
const HALF = 6; // m/s for half of that
const STRONGEST = 30; // m/s

export class WindArrow {
    shown = false;
    private readonly arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), 1, 0x5bb8d6);
    private readonly velocity = new Vector3();
    private readonly start = new Vector3();
    private half = 1; // m, half the height of the picture where the view is aimed at

    constructor(private readonly app: App) {
        this.arrow.visible = false;
        for (const { material } of [this.arrow.line, this.arrow.cone]) // in front of everything
            for (const one of [material].flat()) Object.assign(one, { depthTest: false, transparent: true });
        this.arrow.line.renderOrder = this.arrow.cone.renderOrder = 10;
        app.stage.scene.add(this.arrow);
        for (const event of ['built', 'changed'] as const) app.on(event, () => this.place());
    }

    toggle(): void {
        this.shown = !this.shown;
        this.place();
        if (this.shown) this.app.say('Drag the tip of the blue arrow: that is where the wind blows, and how fast');
    }

    private place(): void {
        this.arrow.visible = this.shown;
        this.app.redraw();
        if (!this.shown) return;
        // in the upper half of the picture, however large the scene is
        const { camera, controls } = this.app.stage;
        this.half = Math.tan((camera.fov * Math.PI) / 360) * camera.position.distanceTo(controls.target) * Math.min(1, camera.aspect);
        this.start.copy(controls.target).addScaledVector(new Vector3(0, 1, 0).applyQuaternion(camera.quaternion), 0.4 * this.half);
        const wind = (this.app.valueOf('wind.velocity') as number[] | null) ?? [0, 0, 0];
        this.velocity.set(wind[0], wind[1], wind[2]);
        if (this.app.valueOf('wind.kind') === 'still') this.velocity.set(0, 0, 0);
        this.draw();
    }

    private length(): number {
        const speed = this.velocity.length();
        return Math.max((LONGEST * speed) / (speed + HALF), 0.08) * this.half;
    }

    private direction(): Vector3 {
        return this.velocity.length() > 0 ? this.velocity.clone().normalize() : new Vector3(1, 0, 0);
    }

    private draw(): void {
        const length = this.length();
        this.arrow.position.copy(this.start);
        this.arrow.setDirection(this.direction());
        this.arrow.setLength(length, Math.min(0.1 * this.half, 0.6 * length), 0.06 * this.half);
        this.app.redraw();
    }

    tip(): Vector3 {
        return this.start.clone().addScaledVector(this.direction(), this.length());
    }

    grab(x: number, y: number): boolean {
        if (!this.shown) return false;
        const tip = this.app.stage.project(this.tip());
        const box = this.app.stage.canvas.getBoundingClientRect();
        return Math.hypot(x - box.left - tip.x, y - box.top - tip.y) < 26;
    }

    drag(x: number, y: number): void {
        const { camera } = this.app.stage;
        const plane = new Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), this.tip());
        const point = aim(this.app.stage, x, y).ray.intersectPlane(plane, new Vector3());
        if (!point) return;
        const way = point.sub(this.start), part = Math.min(way.length() / this.half, 0.99 * LONGEST);
        this.velocity.copy(way).setLength(Math.min((HALF * part) / (LONGEST - part), STRONGEST));
        this.draw();
    }

    release(): void {
        const wind = this.velocity.toArray().map((v) => Number(v.toFixed(2)));
        if (this.app.valueOf('wind.kind') === 'still') void this.app.set('wind.kind', 'uniform');
        void this.app.set('wind.velocity', wind);
    }
}
