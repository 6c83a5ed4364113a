// The names that browsers have, and that the libraries of TypeScript 4.8 lack.

declare class DecompressionStream implements GenericTransformStream {
  constructor(format: 'deflate');
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

interface Array<T> {
  toReversed(): T[];
  toSpliced(start: number, count: number): T[];
  with(index: number, value: T): T[];
}

interface Element {
  ariaInvalid: string | null;
}

interface HTMLElementTagNameMap {
  search: HTMLElement;
}
