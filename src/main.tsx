// The page's entry: the compiler in its worker, and the page on it.
import { mount } from "./ui/mount.tsx";
import { createWorkerClient } from "./worker/client.ts";

void mount(createWorkerClient());
