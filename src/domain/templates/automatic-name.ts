const units = [
  ['week', 10_080],
  ['day', 1440],
  ['hour', 60],
] as const

/** The name of a template that got none: its duration, such as "1 day" or "90 minutes". */
export function automaticName(expireMinutes: number, language: 'en' | 'de' = 'en'): string {
  const [unit, size] = units.find(([, minutes]) => expireMinutes % minutes === 0) ?? (['minute', 1] as const)
  if (unit === 'minute' && expireMinutes >= 120) return `${Math.floor(expireMinutes / 60)} h ${expireMinutes % 60} min`
  const format = { style: 'unit', unit, unitDisplay: 'long', useGrouping: false } as const
  return new Intl.NumberFormat(language, format).format(expireMinutes / size)
}

/** Whether a name only says the duration. Then pages may write it in the language of their reader. */
export function isAutomaticName({ name, expireMinutes }: { name: string; expireMinutes: number }): boolean {
  return name === automaticName(expireMinutes, 'en') || name === automaticName(expireMinutes, 'de')
}
