// The part of the WebAssembly JavaScript API that the policy engine uses; neither lib.es2024 nor @types/node has it.
declare namespace WebAssembly {
  interface MemoryDescriptor {
    initial: number;
    maximum?: number;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  interface Global {
    value: number;
  }
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  interface WebAssemblyInstantiatedSource {
    readonly instance: Instance;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(
    bytes: Uint8Array,
    imports: Record<string, Record<string, number>>,
  ): Promise<WebAssemblyInstantiatedSource>;
}
