import { Button, Checkbox, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBackCloses } from '../hooks/use-back-closes.ts'
import { useCopy } from '../hooks/use-copy.ts'
import { useFocusAfter } from '../hooks/use-focus-after.ts'
import { useLayout } from '../hooks/use-layout.ts'
import { ErrorMessage } from './state-pages.tsx'

type DialogProps = {
  opened?: boolean
  onClose: () => void
  title: ReactNode
  /** Esc, Back and a click beside the dialog do nothing: it closes only by its buttons. */
  isSticky?: boolean
  /** Hides the page behind the dialog, and covers other dialogs. */
  isCovering?: boolean
  size?: number
  children: ReactNode
}

/**
 * A dialog in the middle of the page. On a phone it fills the screen. React passes its events on to the component that opened it,
 * which may be a form: submitting the dialog must not submit that form too.
 */
export function Dialog({
  opened = true,
  onClose,
  title,
  isSticky = false,
  isCovering = false,
  size = 480,
  children,
}: DialogProps) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  useBackCloses(opened && !isCovering, () => !isSticky && onClose())
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size}
      fullScreen={isPhone}
      radius={isPhone ? 0 : 'lg'}
      withCloseButton={!isSticky}
      closeOnEscape={!isSticky}
      closeOnClickOutside={!isSticky}
      closeButtonProps={{ 'aria-label': t('actions.close') }}
      onSubmit={(event) => event.stopPropagation()}
      {...(isCovering && { zIndex: 400, overlayProps: { color: 'var(--vs-canvas)', backgroundOpacity: 1 } })}
    >
      {children}
    </Modal>
  )
}

type FormProps = {
  /** From `useSaveForm`. */
  form: { element: ComponentProps<'form'>; isSaving: boolean; error: unknown }
  /** The words of the button that saves. */
  action: string
  isDestructive?: boolean | undefined
  onClose: () => void
  children: ReactNode
}

/** A dialog with the fields of a form, and below them the failure and the buttons. */
export function FormDialog({ form, action, isDestructive, children, ...dialog }: FormProps & DialogProps) {
  return (
    <Dialog {...dialog}>
      <DialogForm form={form} action={action} onClose={dialog.onClose} isDestructive={isDestructive}>
        {children}
      </DialogForm>
    </Dialog>
  )
}

/** The form of a dialog that also has other content. */
export function DialogForm({ form, action, isDestructive = false, onClose, children }: FormProps) {
  return (
    <form {...form.element}>
      <Stack gap="md">
        {children}
        {form.error ? <ErrorMessage error={form.error} /> : null}
        <DialogActions onCancel={onClose}>
          <Button type="submit" loading={form.isSaving} {...(isDestructive && { color: 'red' })}>
            {action}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  )
}

type ConfirmProps = Omit<DialogProps, 'isSticky' | 'isCovering' | 'size'> & {
  /** The button names what it does and to how many, for example "Revoke 3 vouchers". */
  action: string
  mutation: { mutate: () => void; isPending: boolean; error: unknown }
  /** The button works only when the person has seen what it affects. */
  isReady?: boolean
  /** False: nothing is lost, so the button is not red. */
  isDestructive?: boolean
  /** The person must type this text, for example the name of the key. */
  typed?: { label: string; text: string }
}

/** Asks before something that has an effect on others or cannot be undone. Its button is the only filled one. */
export function ConfirmDialog({
  action,
  mutation: { mutate, isPending, error },
  isReady = true,
  isDestructive = true,
  typed,
  children,
  ...dialog
}: ConfirmProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const button = useFocusAfter(error)
  const close = () => {
    setText('')
    setIsMissing(false)
    dialog.onClose()
  }
  const submit = () => {
    if (!isReady) return
    if (typed && text.trim() !== typed.text) return setIsMissing(true)
    mutate()
  }
  return (
    <Dialog {...dialog} onClose={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="md">
          <Text component="div">{children}</Text>
          {typed && (
            <TextInput
              label={typed.label}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              error={isMissing && text.trim() !== typed.text && t('confirm.type-exactly', { text: typed.text })}
              data-autofocus
            />
          )}
          {error ? <ErrorMessage error={error} /> : null}
          <DialogActions onCancel={close} isCancelFirst={!typed}>
            <Button
              ref={button}
              type="submit"
              loading={isPending}
              disabled={!isReady}
              {...(isDestructive && { color: 'red' })}
            >
              {action}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  )
}

type SecretProps = {
  onDone: () => void
  title: string
  text: string
  secret: string
  /** The words of the tick. Without them, the person need not store the secret. */
  stored?: string
  children?: ReactNode
}

/** Shows a secret that cannot be read again. If it must be stored, *Done* works only after the person ticked that it is. */
export function SecretOnce({ onDone, title, text, secret, stored, children }: SecretProps) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy()
  const [isStored, setIsStored] = useState(false)
  return (
    <Dialog onClose={() => undefined} title={title} isSticky size={560}>
      <Stack gap="md">
        <Text c="dimmed">{text}</Text>
        <Group
          wrap="nowrap"
          p="sm"
          style={{ borderRadius: 8, border: '1px solid var(--vs-accent)', background: 'var(--vs-accent-tint)' }}
        >
          <Code className="code" bg="transparent" fz={13} p={0} style={{ flex: 1, overflowWrap: 'anywhere' }}>
            {secret}
          </Code>
          <Button onClick={() => copy(secret)} data-autofocus style={{ flex: 'none' }}>
            {t(isCopied ? 'actions.copied' : 'actions.copy')}
          </Button>
        </Group>
        {children}
        {stored !== undefined && (
          <Checkbox label={stored} checked={isStored} onChange={(event) => setIsStored(event.currentTarget.checked)} />
        )}
        <Group justify="flex-end" className="dialog-actions">
          <Button variant="default" disabled={stored !== undefined && !isStored} onClick={onDone}>
            {t('actions.done')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

type ActionsProps = {
  onCancel: () => void
  /** *Cancel* gets the focus when the dialog opens. */
  isCancelFirst?: boolean
  children: ReactNode
}

/** The last line of a dialog: Cancel, and the button that does it. */
export function DialogActions({ onCancel, isCancelFirst = false, children }: ActionsProps) {
  const { t } = useTranslation()
  return (
    <Group justify="flex-end" className="dialog-actions">
      <Button variant="default" onClick={onCancel} {...(isCancelFirst && { 'data-autofocus': true })}>
        {t('actions.cancel')}
      </Button>
      {children}
    </Group>
  )
}
