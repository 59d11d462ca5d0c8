const maxDays = 3_650

/** Attributes of a field for days. */
export const daysField = {
  w: 68,
  clampBehavior: 'none',
  maxLength: 4,
} as const

export function daysInRange(days: number | string): boolean {
  return Number(days) >= 1 && Number(days) <= maxDays
}
