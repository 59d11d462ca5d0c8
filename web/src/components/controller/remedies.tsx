import { Button, Code, Group, NumberInput, Stack, Text } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CheckedLayer, ControllerCheck } from '../../../../client/voucher-api.generated.ts'
import { formatTime } from '../../formats.ts'
import { useCopy } from '../../hooks/use-copy.ts'
import { SecretInput } from '../password-field.tsx'
import classes from './connection-test.module.css'
import { type DriverName, driverKinds } from './use-connection-test.ts'

/** The remedies for a failed layer that the page can carry out. A remedy that is missing is not offered. */
export type Remedies = {
  trust?: (fingerprint: string) => void
  /** The fingerprint that is recorded, to compare it with the one that the controller shows now. */
  pinned?: string | null
  /** Takes a new password or API key. */
  secret?: { submit: (secret: string) => void; isSaved: boolean }
  /** Takes the address with another port, or with https://. */
  address?: (address: string) => void
  driver?: (driver: DriverName) => void
}

type RemedyProps = { layer: CheckedLayer; check: ControllerCheck; remedies: Remedies }

const causesOfSecret = ['credentials_refused', 'credentials_not_reused']
const causesOfPort = ['port_closed', 'no_answer', 'not_tls']

/** The remedy inside a failed line. */
export function Remedy({ layer: { layer, cause }, check, remedies }: RemedyProps) {
  const { t } = useTranslation()
  const { trust, secret, address, driver } = remedies
  if (layer === 'certificate' && check.certificate?.trust === 'untrusted')
    return (
      <Certificate
        certificate={check.certificate}
        trust={trust}
        before={remedies.pinned && <Changed pinned={remedies.pinned} />}
        hint={
          <Text fz={13} c="dimmed">
            {t('connection-test.fingerprint-where')}
          </Text>
        }
      />
    )
  const needsSecret = causesOfSecret.includes(cause ?? '') || (cause === 'credentials_missing' && secret?.isSaved)
  const isKey = driverKinds[check.driver as DriverName] === 'api-key'
  if (secret && needsSecret)
    return (
      <SecretField
        label={t(isKey ? 'connection-test.new-key' : 'connection-test.new-password')}
        action={t(secret.isSaved ? 'connection-test.save-and-test' : 'connection-test.test')}
        onSubmit={secret.submit}
      />
    )
  if (address && layer !== 'sign_in' && causesOfPort.includes(cause ?? ''))
    return <PortField check={check} submit={address} />
  if (address && cause === 'tls_required')
    return (
      <Button size="xs" variant="default" onClick={() => address(check.address.replace(/^http:/, 'https:'))}>
        {t('connection-test.use-https')}
      </Button>
    )
  const other = (Object.keys(driverKinds) as DriverName[]).find((name) => name !== check.driver)
  if (driver && cause === 'wrong_driver' && other)
    return (
      <Button size="xs" variant="default" onClick={() => driver(other)}>
        {t('connection-test.switch-driver', { driver: t(`controller-form.${other}`) })}
      </Button>
    )
  return null
}

type CertificateProps = {
  certificate: Pick<NonNullable<ControllerCheck['certificate']>, 'fingerprint' | 'subject' | 'valid_until'>
  /** Undefined: this page cannot trust it. */
  trust: Remedies['trust']
  /** Above the fingerprint. */
  before?: ReactNode
  /** Above the buttons. */
  hint?: ReactNode
}

/** A certificate that nobody has checked yet, with a button to trust it. */
export function Certificate({ certificate, trust, before, hint }: CertificateProps) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy()
  const { fingerprint, subject, valid_until } = certificate
  const date = valid_until === null ? '–' : formatTime(valid_until, { dateStyle: 'medium' })
  return (
    <Stack gap={8} align="stretch">
      {before}
      <Fingerprint value={fingerprint} />
      <Text fz={13} c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {subject ? t('connection-test.subject', { subject, date }) : t('connection-test.subject-none', { date })}
      </Text>
      {hint}
      <Group gap="xs">
        {trust && (
          <Button leftSection={<IconShieldCheck size={16} aria-hidden />} onClick={() => trust(fingerprint)}>
            {t('connection-test.trust')}
          </Button>
        )}
        <Button variant="default" onClick={() => copy(fingerprint)}>
          {t(isCopied ? 'actions.copied' : 'actions.copy')}
        </Button>
      </Group>
    </Stack>
  )
}

/** The fingerprint that was recorded, above the one of now. */
function Changed({ pinned }: { pinned: string }) {
  const { t } = useTranslation()
  return (
    <>
      <Text fz={13} fw={500}>
        {t('connection-test.fingerprint-before')}
      </Text>
      <Fingerprint value={pinned} />
      <Text fz={13} fw={500}>
        {t('connection-test.fingerprint-now')}
      </Text>
    </>
  )
}

/** A fingerprint in groups of four bytes, so that people can read it aloud. */
function Fingerprint({ value }: { value: string }) {
  const { t } = useTranslation()
  const groups = value.match(/.{11}(?=:|$)/g) ?? [value]
  return (
    <Code
      component="p"
      className={classes.fingerprint ?? ''}
      aria-label={`${t('connection-test.fingerprint')} ${value}`}
      role="img"
    >
      {groups.map((group, index) => (
        <span key={index}>{group}</span>
      ))}
    </Code>
  )
}

type SecretProps = { label: string; action: string; onSubmit: (secret: string) => void }

/** Takes a new secret after the old one was rejected. */
export function SecretField({ label, action, onSubmit }: SecretProps) {
  const { t } = useTranslation()
  const [secret, setSecret] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  return (
    <InlineForm onSubmit={() => (secret === '' ? setIsMissing(true) : onSubmit(secret))} action={action}>
      <SecretInput
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        maw={280}
        style={{ flex: '1 1 200px' }}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        error={isMissing && secret === '' && t('connection-test.secret-missing')}
      />
    </InlineForm>
  )
}

function PortField({ check, submit }: { check: ControllerCheck; submit: (address: string) => void }) {
  const { t } = useTranslation()
  const [port, setPort] = useState<number | string>('')
  const [isWrong, setIsWrong] = useState(false)
  const isValid = typeof port === 'number' && port >= 1 && port <= 65_535
  const send = () => {
    if (!isValid) return setIsWrong(true)
    const url = new URL(check.address)
    url.port = String(port)
    submit(url.href.replace(/\/$/, ''))
  }
  return (
    <InlineForm onSubmit={send} action={t('connection-test.use-port')}>
      <NumberInput
        aria-label={t('connection-test.port')}
        placeholder={t('connection-test.port')}
        maw={160}
        value={port}
        onChange={setPort}
        error={isWrong && !isValid && t('connection-test.port-wrong')}
      />
    </InlineForm>
  )
}

/** A field and its button beside each other. The test may be part of a page with another form, so events end here. */
function InlineForm({ onSubmit, action, children }: { onSubmit: () => void; action: string; children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    onSubmit()
  }
  return (
    <form noValidate onSubmit={submit}>
      <Group gap="xs" align="flex-start">
        {children}
        <Button type="submit" variant="default">
          {action}
        </Button>
      </Group>
    </form>
  )
}
