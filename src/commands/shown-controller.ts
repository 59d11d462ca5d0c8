import type { Controller } from '#domain/controllers/controllers.queries.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'

/** The pin as people read it. */
export function shownController({ certificatePin, ...controller }: Controller) {
  return { ...controller, certificatePin: certificatePin && formatFingerprint(certificatePin) }
}
