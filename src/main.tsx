// The page's entry: the compiler in its worker, and the page on it.
import { mount } from "./page/ui/mount.tsx";
import { createWorkerClient } from "./page/compiler-client/client.ts";

void mount(createWorkerClient());
