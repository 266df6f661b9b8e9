/**
 * One command, and the answer to each caller.
 *
 * `expect` has one letter a caller: system admin; the owner's admin and member; the lessee's admin and member;
 * an admin of a third project.
 *
 * | letter | what the client does                                              |
 * | ------ | ----------------------------------------------------------------- |
 * | A      | the expected output                                               |
 * | 3      | says that `denied` is denied, with status 403                     |
 * | 4      | says that `missing` could not be found, with status 404           |
 * | .      | is not tested here: the access table has it                       |
 */
export interface Row {
  /** After `openstack baremetal`; what is in braces is made for the row (access/fixtures.ts), once a caller. */
  readonly command: string;
  readonly expect: string;
  /** Without `baremetal:`. */
  readonly denied?: string;
  /** `Node {node}` when left out. */
  readonly missing?: string;
  /** The prefix that the client adds to the server's message. */
  readonly before?: string;
  /** Members of the node that the row is about. */
  readonly node?: Readonly<Record<string, unknown>>;
}
