// What is too much, in one place, each with its reason. Who goes beyond one is told the limit and the way
// round, before the work is done: by a diagnostic, of the page's files, links and zips by a note.

/** Characters of a Relay text without its metadata: a thousand times ResNet-50's. */
export const maxProgramLength = 16 * 2 ** 20;

/** Nodes of a Relay text: each costs memory in each of some twenty passes that the page keeps. */
export const maxNodes = 500_000;

/** Levels of nested text (arguments, blocks, attributes, patterns): they are read by recursion. */
export const maxTextDepth = 256;

/** Levels of nested tuples and tuple types, which are read without recursion: no program needs as many. */
export const maxTupleDepth = 4096;

/**
 * Levels of scopes (branches, bodies, lets in lets): they are printed and planned by recursion. A little less
 * than the text's depth: what is printed can be read back.
 */
export const maxScopes = 240;

/**
 * Tensors that one value hands over: an argument, a parameter or the result of main. Each is a parameter of C
 * and of the plan. A tuple that is only taken apart again is not counted, however often its parts are shared.
 */
export const maxTupleFields = 16_384;

/** Bytes of one tensor: the page and WebAssembly address memory with 32 bits, half of which is left free. */
export const maxTensorBytes = 2 ** 31;

/** Dimensions of a tensor: a loop nest and an index are as deep. TVM has no limit, NumPy has 64. */
export const maxRank = 256;

/** Extent of one dimension of a kernel: loop variables are int32. */
export const maxExtent = 2 ** 31 - 1;

/** Calls of functions that one main may unfold into: executors have no call stack. */
export const maxUnfoldedCalls = 2000;

/**
 * Rounds of a loop, steps of a recurrent network of a model file: each becomes some twenty calls, and more
 * make programs that nobody waits for.
 */
export const mostRounds = 4096;

/** Elements of a constant that is worked out while importing, in JavaScript numbers: 128 MB of them. */
export const mostElements = 2 ** 24;

/** Tensors of one kernel in WebAssembly: each is a parameter, and engines take no more. C has no limit. */
export const maxWasmTensors = 1000;

/** Bytes that a run of WebAssembly takes, constants included: its addresses are 32 bits wide here. */
export const maxRunBytes = 2 ** 32;

/** Bytes of a text file that the page opens; what the compiler reads is less, but for the metadata. */
export const mostTextBytes = 50_000_000;

/** Bytes of a model file that the page opens: browsers give at most 2 GB as one array. */
export const mostModelBytes = 2_000_000_000;

/** Bytes of text that a link unpacks to: a link must not fill the memory. */
export const mostLinkBytes = 10_000_000;

/** Bytes that a .repro.zip unpacks to: a model and its data, not what fills the memory. */
export const mostZipBytes = 1_000_000_000;

/**
 * Samples along each axis of a bin of roi_align: their number is squared, and an image has no more to show.
 */
export const mostSamples = 128;

/**
 * Bytes of constants that are made up because the text has no metadata: more take seconds, and mean nothing.
 */
export const maxSeededBytes = 2 ** 30;

/** Dimensions that sparse_reshape gives positions in: each is worked out from all that follow. */
export const maxSparseRank = 32;
