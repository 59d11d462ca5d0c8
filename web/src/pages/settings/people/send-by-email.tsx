import { Checkbox, type CheckboxProps, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { StaffMember } from '../../../../../client/voucher-api.generated.ts'

/** Whether the service also sends a link to the person. */
export function SendByEmail(props: Omit<CheckboxProps, 'label'>) {
  const { t } = useTranslation()
  return <Checkbox label={t('link-mail.send')} styles={{ description: { overflowWrap: 'anywhere' } }} {...props} />
}

/** What became of the e-mail with the open link. It never says "delivered": nobody knows whether the message arrived. */
export function LinkMailWords({ person }: { person: StaffMember }) {
  const { t } = useTranslation()
  const { link_message: message, link_expires_at: linkEnd, state: personState } = person
  const isOfInterest = linkEnd !== null || personState === 'invited'
  if (!message || !isOfInterest || !isShown(message.state)) return null // a process of an older version sends none
  const { state, failure, answer } = message
  const isBad = state === 'rejected' || state === 'expired'
  const isLate = state === 'waiting' && failure !== null
  return (
    <Text
      component="div"
      fz={12.5}
      lh="16px"
      c={isBad ? 'var(--vs-bad-text)' : isLate ? 'var(--vs-warn-text)' : 'dimmed'}
      style={{ overflowWrap: 'anywhere' }}
    >
      {t(`link-mail.${isLate ? 'waiting-failed' : state}`)}
      {(isBad || isLate) && answer && <div>{answer}</div>}
    </Text>
  )
}

const shown = ['waiting', 'accepted', 'rejected', 'expired'] as const

function isShown(state: string): state is (typeof shown)[number] {
  return (shown as readonly string[]).includes(state)
}
