// Mouse, pen and touch: what starts on cloth pulls it, what starts on a body moves it, everything else turns the view.
import { Plane, Vector3 } from 'three';
import type { App } from '../app';
import { byId, make } from '../ui/dom';
import { aim, pick, type Hit } from './pick';
import type { WindArrow } from './wind_arrow';

const SLACK = 8; // px

export class Pointer {
    /** What the tests and the cursor see. */
    state: 'idle' | 'pull' | 'body' | 'wind' = 'idle';
    /** Something has been pulled: the words of the first page have been understood. */
    used = false;
    /** ms; a finger that rests so long pins. */
    longPress = 550;
    private readonly canvas: HTMLCanvasElement;
    private pointer = -1;
    private hit: Hit | null = null;
    private first: PointerEvent | null = null;
    private readonly plane = new Plane();
    private readonly offset = new Vector3();
    private pressed = 0;
    private readonly mark = make('div', { class: 'hand', hidden: true });

    constructor(private readonly app: App, private readonly arrow: WindArrow) {
        this.canvas = app.stage.canvas;
        byId('marks').append(this.mark);
        // before the camera's controls see the event
        this.canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
        window.addEventListener('pointermove', (event) => this.move(event));
        for (const name of ['pointerup', 'pointercancel'] as const) window.addEventListener(name, (event) => this.up(event));
        this.canvas.addEventListener('contextmenu', (event) => event.preventDefault());
        this.canvas.addEventListener('dblclick', (event) => {
            if (!pick(app.stage, event.clientX, event.clientY)) app.resetView();
        });
        app.on('frame', () => this.showHand());
        app.on('built', () => this.forget());
    }

    private forget(): void {
        this.state = 'idle';
        this.pointer = -1;
        this.hit = null;
        this.mark.hidden = true;
        this.canvas.classList.remove('pulling');
        clearTimeout(this.pressed);
    }

    private down(event: PointerEvent): void {
        if (this.pointer >= 0) {
            // a second finger: let go, and let both turn to the view
            const first = this.first;
            if (event.pointerId !== this.pointer && first) {
                this.release();
                this.canvas.dispatchEvent(new PointerEvent('pointerdown', { ...eventOf(first), bubbles: false }));
            }
            return;
        }
        if (event.button === 1 || event.shiftKey || this.app.page.s3 === undefined) return;
        if (event.button === 0 && this.arrow.grab(event.clientX, event.clientY)) {
            this.begin(event, null, 'wind');
            return;
        }
        const hit = pick(this.app.stage, event.clientX, event.clientY);
        if (!hit) return;
        if (hit.kind === 'cloth' && (event.button === 2 || event.ctrlKey)) {
            event.stopImmediatePropagation();
            this.togglePin(hit);
            return;
        }
        if (event.button !== 0) return;
        this.begin(event, hit, hit.kind === 'cloth' ? 'pull' : 'body');
        const stage = this.app.stage;
        const normal = stage.camera.getWorldDirection(new Vector3()).negate();
        this.plane.setFromNormalAndCoplanarPoint(normal, hit.point);
        if (hit.kind === 'cloth') {
            const x = stage.cloths[hit.index].attribute('position').array;
            this.offset.set(x[3 * hit.vertex], x[3 * hit.vertex + 1], x[3 * hit.vertex + 2]).sub(hit.point);
            void this.app.grab(hit.index, hit.vertex);
            if (event.pointerType === 'touch')
                this.pressed = window.setTimeout(() => {
                    this.release();
                    this.togglePin(hit);
                }, this.longPress);
        } else {
            this.offset.copy(stage.bodies[hit.index].object.position).sub(hit.point);
            void this.app.holdBody(hit.index, true);
        }
    }

    private begin(event: PointerEvent, hit: Hit | null, state: 'pull' | 'body' | 'wind'): void {
        event.stopImmediatePropagation();
        this.canvas.focus({ preventScroll: true });
        this.state = state;
        this.hit = hit;
        this.pointer = event.pointerId;
        this.first = event;
        this.app.stage.controls.enabled = false;
        this.canvas.classList.add('pulling');
        this.used = true;
        this.app.emit('playing');
    }

    private move(event: PointerEvent): void {
        if (this.pointer < 0) {
            if (event.target === this.canvas && event.buttons === 0 && event.pointerType === 'mouse')
                this.canvas.classList.toggle('over', pick(this.app.stage, event.clientX, event.clientY) !== null);
            return;
        }
        if (event.pointerId !== this.pointer || !this.first) return;
        if (Math.hypot(event.clientX - this.first.clientX, event.clientY - this.first.clientY) > SLACK) clearTimeout(this.pressed);
        if (this.state === 'wind') {
            this.arrow.drag(event.clientX, event.clientY);
            return;
        }
        const point = aim(this.app.stage, event.clientX, event.clientY).ray.intersectPlane(this.plane, new Vector3());
        if (!point || !this.hit) return;
        point.add(this.offset);
        if (this.hit.kind === 'cloth') void this.app.moveHand(point.toArray());
        else void this.app.moveBody(this.hit.index, point.toArray());
    }

    private up(event: PointerEvent): void {
        if (event.pointerId === this.pointer) this.release();
    }

    private release(): void {
        const { hit, state } = this;
        if (this.pointer < 0) return;
        this.forget();
        this.app.stage.controls.enabled = true;
        if (state === 'pull') void this.app.letGo();
        else if (state === 'body' && hit) void this.app.holdBody(hit.index, false);
        else this.arrow.release();
    }

    private togglePin(hit: Hit): void {
        const held = this.app.stage.cloths[hit.index].pinned.includes(hit.vertex);
        void this.app.pin(hit.index, hit.vertex, !held);
        this.app.say(held ? 'Let go' : 'Pinned');
    }

    private showHand(): void {
        const held = this.app.frame?.held;
        this.mark.hidden = !held || this.state !== 'pull';
        if (!held) return;
        const { x, y } = this.app.stage.project(new Vector3(...held));
        this.mark.style.transform = `translate(${x}px, ${y}px)`;
    }
}

function eventOf(event: PointerEvent): PointerEventInit {
    const { pointerId, pointerType, clientX, clientY, button, buttons, isPrimary, width, height, pressure } = event;
    return { pointerId, pointerType, clientX, clientY, button, buttons, isPrimary, width, height, pressure };
}
