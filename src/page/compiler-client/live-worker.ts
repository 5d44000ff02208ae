// A worker and its API, and how it ends.
import * as Comlink from "comlink";

export interface Live<Api> {
  readonly worker: Worker;
  readonly api: Comlink.Remote<Api>;
  /** Resolves with the reason when the worker is gone; never rejects. */
  readonly died: Promise<string>;
  readonly kill: (why: string) => void;
}

export function launch<Api>(worker: Worker): Live<Api> {
  let kill = (_why: string): void => {};
  const died = new Promise<string>((resolve) => {
    kill = (why) => {
      worker.terminate();
      resolve(why);
    };
    worker.addEventListener("error", (event) => kill(event.message || "the worker stopped"));
    worker.addEventListener("messageerror", () => kill("a message could not be read"));
  });
  return { worker, api: Comlink.wrap<Api>(worker), died, kill };
}

/** What `run` answers, `ifDead` where the worker ends or the call fails. Never rejects. */
export async function askWorker<Api, T>(
  worker: Live<Api>,
  run: (api: Comlink.Remote<Api>) => Promise<T>,
  ifDead: T,
): Promise<T> {
  try {
    return await Promise.race([run(worker.api), worker.died.then(() => ifDead)]);
  } catch {
    return ifDead;
  }
}

export interface Listeners<T> {
  readonly tell: (news: T) => void;
  /** Returns the unsubscribe function. */
  readonly add: (listener: (news: T) => void) => () => void;
}

export function createListeners<T>(): Listeners<T> {
  const all = new Set<(news: T) => void>();
  return {
    tell(news) {
      for (const listener of all) listener(news);
    },
    add(listener) {
      all.add(listener);
      return () => all.delete(listener);
    },
  };
}
