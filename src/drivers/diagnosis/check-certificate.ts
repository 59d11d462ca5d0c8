import { formatFingerprint } from '#lib/fingerprint.ts'
import { readCertificate, type ShownCertificate } from '../read-certificate.ts'
import { type Finding, failed, notTried, ok } from './layers.ts'
import type { Subject } from './subject.ts'

export async function checkCertificate(subject: Subject): Promise<Finding> {
  const url = new URL(subject.address)
  const isSecure = url.protocol === 'https:'
  if (!isSecure && subject.certificatePin) return failed('A certificate is pinned, but the address is http://')
  if (!isSecure) return notTried('plain HTTP: whoever is in between reads credentials and codes')
  const shown = await readCertificate(url, subject.addressPolicy).catch((error) => failed(explain(error)))
  return 'result' in shown ? shown : judge(shown, subject)
}

/** As the drivers judge: a pin alone decides, where there is one. */
function judge(shown: ShownCertificate, { certificatePin, howToPin }: Subject): Finding {
  const { fingerprint, trusted, whyNotTrusted } = shown
  if (certificatePin === null && trusted) return ok(`${fingerprint} is trusted by a public authority`)
  if (certificatePin === null)
    return failed(
      `${fingerprint} is not pinned, and no public authority vouches for it (${whyNotTrusted}). ` +
        `Compare it with what the controller shows, then: ${howToPin(fingerprint)}`,
    )
  const pin = formatFingerprint(certificatePin)
  if (pin === fingerprint) return ok(`${fingerprint} is the pinned one`)
  return failed(
    `${fingerprint} is not the pinned ${pin}: a new certificate, or an impostor. ` +
      `Only after comparing it with what the controller shows: ${howToPin(fingerprint)}`,
  )
}

function explain({ code, name }: NodeJS.ErrnoException): string {
  return `No TLS is spoken on this port (${code ?? name}): is it the right one?`
}
