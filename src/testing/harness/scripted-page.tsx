// Mounts the page on the scripted client; `scriptedClient.script` steers it from a test or the console.
import { mount } from "../../page/ui/mount.tsx";
import { createScriptedClient } from "./scripted-client.ts";

const scriptedClient = createScriptedClient();
Object.assign(globalThis, { scriptedClient, relayscopeApp: await mount(scriptedClient) });
