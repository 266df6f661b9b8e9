/** A count for people: `1,234,567`. */
export const counted = (count: number): string => count.toLocaleString('en-US');
