import { type Matrix } from '@tenure/policy';

export const TITLE = 'Who may do what';

export const INTRODUCTION =
  'Every action of the policy, for 24 callers. In a code, the first letter is the relation of the caller: s the system, ' +
  'o the project that owns the resource, l the one that leases it, b both, 3 a third one; the second its role: ' +
  'A admin, M manager, m member, r reader, s service.';

export const switchLines = ({ switches }: Matrix): readonly string[] =>
  Object.entries(switches).map(([name, value]) => `${name}: ${String(value)}`);
