// The compiler's thread: exposes the session and nothing else.
import * as Comlink from "comlink";
import { createSession } from "./session.ts";

Comlink.expose(createSession());
