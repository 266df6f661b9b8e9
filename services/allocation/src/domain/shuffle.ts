/**
 * A random order (Fisher–Yates), so that concurrent allocations do not all try the same node first.
 * @param random from 0 up to but not including 1
 */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const rest = [...items];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return order;
}
