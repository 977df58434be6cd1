// The page's end of the simulation's worker: a promise for each request.
import type { Dressing, Kind, Reply, Request, Requests } from './protocol';

export class SimulationError extends Error {}

export class Client {
    /** Told while the garments of a scene are dressed. */
    onDressing: (now: Dressing) => void = () => undefined;
    private worker: Worker;
    private next = 1;
    private waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();

    constructor() {
        this.worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
        this.worker.onmessage = (event: MessageEvent<Reply>) => {
            const reply = event.data;
            if (reply.dressing) {
                this.onDressing(reply.dressing);
                return;
            }
            const request = this.waiting.get(reply.id);
            this.waiting.delete(reply.id);
            if (reply.ok) request?.resolve(reply.result as never);
            else request?.reject(new SimulationError(reply.error));
        };
        this.worker.onerror = (event) => {
            event.preventDefault();
            const error = new SimulationError(event.message || 'the simulation stopped');
            for (const request of this.waiting.values()) request.reject(error);
            this.waiting.clear();
        };
    }

    ask<K extends Kind>(kind: K, body: Requests[K][0], transfer: Transferable[] = []): Promise<Requests[K][1]> {
        const id = this.next++;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve: resolve as (value: never) => void, reject });
            this.worker.postMessage({ id, kind, body } satisfies Request, transfer);
        });
    }

    stop(reason = 'The simulation was stopped'): void {
        this.worker.terminate();
        for (const request of this.waiting.values()) request.reject(new SimulationError(reason));
        this.waiting.clear();
    }
}
