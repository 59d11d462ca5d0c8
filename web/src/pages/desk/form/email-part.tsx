import { Skeleton, UnstyledButton } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { type RefObject, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo } from '../../../../../client/voucher-api.generated.ts'
import type { DeskInput } from '../../../components/creation/desk-input.ts'
import { lazyPart } from '../../../new-version.tsx'
import classes from '../desk.module.css'
import { rememberEmailFields, showsEmailFields } from '../desk-data.ts'

const EmailFields = lazyPart(async () => (await import('./email-fields.tsx')).EmailFields)

export type EmailProps = {
  field: RefObject<HTMLInputElement | null>
  guestInfo: GuestInfo
  message: DeskInput['message']
  isWrong: boolean
  isLocked: boolean
  onChange: (message: DeskInput['message']) => void
}

/** Sends the code by e-mail as soon as there is a voucher. A computer that does so shows the fields until somebody closes them. */
export function EmailPart(props: EmailProps) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(() => props.message !== undefined || showsEmailFields())
  const [isPressed, setIsPressed] = useState(false)
  const show = (next: boolean) => {
    setIsOpen(next)
    setIsPressed(true)
    rememberEmailFields(next)
    if (!next) props.onChange(undefined)
  }
  if (isOpen)
    return (
      <Suspense fallback={<Skeleton h={76} mt="md" />}>
        <EmailFields {...props} autoFocus={isPressed} onClose={() => show(false)} />
      </Suspense>
    )
  return (
    <UnstyledButton
      type="button"
      mt="md"
      mih={28}
      className={classes.small ?? ''}
      style={{ alignSelf: 'flex-start' }}
      c="dimmed"
      fz={13.5}
      fw={500}
      disabled={props.isLocked}
      autoFocus={isPressed}
      onClick={() => show(true)}
    >
      <IconMail size={16} aria-hidden style={{ verticalAlign: -3, marginRight: 6 }} />
      {t('by-email.add')}
    </UnstyledButton>
  )
}
