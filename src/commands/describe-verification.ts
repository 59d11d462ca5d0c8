import type { Verification } from '#drivers/verification/verify.ts'
import { forPeople } from './output.ts'

export type VerificationReport = { service: string; node: string; driver: string } & Omit<Verification, 'leftBehind'>

/** Ready to paste into an issue. */
export function describeVerification({ steps, observations, ...about }: VerificationReport): string {
  return `\`\`\`text
${forPeople(about)}

${forPeople(steps)}

${forPeople(observations)}
\`\`\`
Please add the model of the controller, its firmware, and whether it is self-hosted.
`
}
