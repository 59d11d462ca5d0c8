/** The limits on issuing of a key, a person or a site, as the API has them. A process of an older version does not send them. */
export type Limits = { vouchers_per_day?: number | null; longest_minutes?: number | null }

/** The fields of a form. Empty: no limit. */
export type IssuingInput = { perDay: number | ''; longest: number | '' }

export function issuingInputOf(limits: Limits | undefined): IssuingInput {
  return { perDay: limits?.vouchers_per_day ?? '', longest: limits?.longest_minutes ?? '' }
}

/** The names of the fields that the form calls otherwise, for `useSaveForm`. */
export const issuingNames = { vouchers_per_day: 'perDay', longest_minutes: 'longest' } as const

const most = 1_000_000

export function isWrongLimit(limit: number | ''): boolean {
  return limit !== '' && !(limit >= 1 && limit <= most)
}

export function toIssuing({ perDay, longest }: IssuingInput) {
  return { vouchers_per_day: perDay === '' ? null : perDay, longest_minutes: longest === '' ? null : longest }
}
