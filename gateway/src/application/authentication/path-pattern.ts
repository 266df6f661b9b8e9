/** One step of a pattern: a character, one character of a segment, any number of them, or any number of any. */
type Step =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'one' | 'more' | 'any' };

/** `{name}` and `*` match one segment or a part of one, `**` matches anything. */
// eslint-disable-next-line regexp/no-super-linear-move -- only where a brace is closed again: then it is read once
const PLACEHOLDER = /\{[^}]*\}|\*\*|\*|[^]/gu;
const STARS = /\*\*|\*|[^]/gu;
const MAX_PATTERN = 1024;

/** Remaining budget of comparisons, which all patterns of one request share. */
export interface Effort {
  left: number;
}

/**
 * Whether a path matches a pattern of an access rule. Users write the patterns, so they are not compiled to regular
 * expressions: the time for one pattern is at most its length times that of the path. Once the budget is used up, no further
 * pattern matches.
 */
export function matchesPath(pattern: string, path: string, effort: Effort): boolean {
  if (pattern.length > MAX_PATTERN) return false;
  const steps = stepsOf(pattern);
  let places = new Set<number>();
  reach(places, steps, 0);
  for (const char of path) {
    const next = new Set<number>();
    for (const place of places) {
      const step = steps[place];
      if (step === undefined) continue;
      const { stays, goesOn } = transition(step, char);
      if (stays) reach(next, steps, place);
      if (goesOn) reach(next, steps, place + 1);
    }
    effort.left -= places.size;
    if (next.size === 0 || effort.left < 0) return false;
    places = next;
  }
  return places.has(steps.length);
}

function stepsOf(pattern: string): readonly Step[] {
  const closed = pattern.lastIndexOf('}') + 1;
  return [
    ...pattern.slice(0, closed).matchAll(PLACEHOLDER),
    ...pattern.slice(closed).matchAll(STARS),
  ].flatMap(([text]) => stepOf(text));
}

/** Adds a state, and the following states that are reached without a character. */
function reach(places: Set<number>, steps: readonly Step[], place: number): void {
  let at = place;
  places.add(at);
  while (mayRest(steps[at])) {
    at += 1;
    places.add(at);
  }
}

/** The transitions of a step for a character: stay in it, go on to the next one, or both. */
function transition(
  step: Step,
  char: string,
): { readonly stays: boolean; readonly goesOn: boolean } {
  switch (step.kind) {
    case 'char':
      return { stays: false, goesOn: step.char === char };
    case 'one':
      return { stays: false, goesOn: char !== '/' };
    case 'more':
      return { stays: char !== '/', goesOn: false };
    case 'any':
      return { stays: true, goesOn: false };
  }
}

function stepOf(text: string): readonly Step[] {
  if (text === '**') return [{ kind: 'any' }];
  if (text === '*' || text.length > 1) return [{ kind: 'one' }, { kind: 'more' }];
  return [{ kind: 'char', char: text }];
}

const mayRest = (step: Step | undefined): boolean => step?.kind === 'more' || step?.kind === 'any';
