type Members = Record<string, unknown>;

/**
 * Copy-on-write for a document that another caller owns: each object or list is copied the first time that it is changed, and
 * the copy is changed from then on. However many changes there are, no member is copied twice.
 */
export interface OwnCopies {
  /** The object itself when it is a copy of ours, else a new copy of it, of its own members. */
  members: (of: object) => Members;
  /** The list itself when it is a copy of ours, else a new copy of it. */
  list: (of: readonly unknown[]) => unknown[];
  /** How many members and elements were copied. */
  readonly copied: number;
}

/** @returns copies for one run over one document */
export function createOwnCopies(): OwnCopies {
  const own = new WeakSet();
  let copied = 0;
  const owned = <T extends object>(copy: T, size: number): T => {
    own.add(copy);
    copied += size;
    return copy;
  };
  return {
    members: (of) => {
      if (own.has(of)) return of as Members; // a copy that was made below
      const copy: Members = { ...of };
      return owned(copy, Object.keys(copy).length);
    },
    list: (of) => {
      if (own.has(of)) return of as unknown[]; // a copy that was made below
      return owned([...of], of.length);
    },
    get copied() {
      return copied;
    },
  };
}

/** Sets a member of any name as a member: an assignment to `__proto__` would change the prototype. */
export function putMember(members: Members, name: string, value: unknown): void {
  Object.defineProperty(members, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
