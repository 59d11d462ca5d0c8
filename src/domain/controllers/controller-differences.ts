import { formatFingerprint } from '#lib/fingerprint.ts'

type Recorded = { name: string; address: string; certificatePin: Buffer | null }

type Difference = { from: string | null; to: string | null }

/** What differs between two records of a controller, as people read it. */
export function controllerDifferences(before: Recorded, after: Recorded): Partial<Record<keyof Recorded, Difference>> {
  const [from, to] = [readable(before), readable(after)]
  const fields = (['name', 'address', 'certificatePin'] as const).filter((field) => from[field] !== to[field])
  return Object.fromEntries(fields.map((field) => [field, { from: from[field], to: to[field] }]))
}

function readable({ name, address, certificatePin }: Recorded) {
  return { name, address, certificatePin: certificatePin && formatFingerprint(certificatePin) }
}
