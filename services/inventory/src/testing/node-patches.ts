import { type NodeRecord } from '@tenure/contracts';
import { NODE } from '../domain/kinds/node.js';
import { type PatchOperation } from '../domain/patch-operations.js';
import { parsedPatch, patchedValues } from '../domain/resource-values.js';

export const parsePatch = (body: unknown, minor: number): readonly PatchOperation[] =>
  parsedPatch(NODE, body, minor);

export const applyPatch = (node: NodeRecord, operations: readonly PatchOperation[]): NodeRecord =>
  patchedValues(NODE, node, operations);
