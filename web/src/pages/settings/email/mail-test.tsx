import { Anchor, Button, Group, Loader, Text } from '@mantine/core'
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CheckedMailLine, MailServerTest } from '../../../../../client/voucher-api.generated.ts'
import lines from '../../../components/controller/connection-test.module.css'
import controllerDe from '../../../components/controller/de.json' with { type: 'json' }
import controllerEn from '../../../components/controller/en.json' with { type: 'json' }
import { Certificate, InlineForm } from '../../../components/controller/remedies.tsx'
import { Panel } from '../../../components/panel.tsx'
import { SecretInput } from '../../../components/password-field.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { clock, formatTime } from '../../../formats.ts'
import { addTexts } from '../../../i18n/i18n.ts'
import { entryFor, orValue } from '../../../newer-values.ts'
import type { Security } from './mail-server-panel.tsx'

addTexts({ de: controllerDe, en: controllerEn })

const names = ['name', 'connection', 'encryption', 'sign_in', 'message'] as const

/** Changes fields of the server, saves and tests again. */
type Change = (fields: { certificate_pin?: string; password?: string; security?: Security; port?: number }) => void

type Props = {
  test: { result: MailServerTest | undefined; error: unknown; isRunning: boolean; at: Date | undefined }
  security: Security
  onRun?: () => void
  /** Without it, no remedy is offered. */
  onChange?: Change
}

/** The lines of a test. The line that failed has its remedy inside. */
export function MailTest({ test: { result, error, isRunning, at }, security, onRun, onChange }: Props) {
  const { t } = useTranslation()
  const known = error || isRunning ? undefined : result
  return (
    <Panel
      title={t('email.test')}
      actions={
        <Group gap={14}>
          {at && !isRunning && (
            <Text fz={13.5} c="dimmed">
              {formatTime(at, clock)}
            </Text>
          )}
          {onRun && !isRunning && Boolean(result ?? error) && (
            <Anchor component="button" type="button" fz={13.5} fw={500} onClick={onRun}>
              {t('connection-test.run-again')}
            </Anchor>
          )}
        </Group>
      }
    >
      {error ? <ErrorMessage error={error} /> : null}
      <ol className={lines.lines} aria-busy={isRunning}>
        {names.map((name) => (
          <Line
            key={name}
            name={name}
            test={known}
            security={security}
            isCurrent={isRunning && name === 'name'}
            onChange={onChange}
          />
        ))}
      </ol>
      <Text fz={13} c="dimmed" role="status">
        <Summary test={known} isRunning={isRunning} />
      </Text>
    </Panel>
  )
}

function Summary({ test, isRunning }: { test: MailServerTest | undefined; isRunning: boolean }) {
  const { t } = useTranslation()
  if (isRunning) return t('connection-test.running')
  if (!test) return t('email.not-tested')
  if (test.ok) return t('email.accepted')
  const failed = test.lines.find(({ result, cause }) => result === 'failed' || cause !== null)
  return failed ? t('connection-test.failed-at', { layer: t(`email.line-${failed.line}`, orValue(failed.line)) }) : null
}

type LineProps = {
  name: CheckedMailLine['line']
  test: MailServerTest | undefined
  security: Security
  isCurrent: boolean
  onChange: Change | undefined
}

function Line({ name, test, security, isCurrent, onChange }: LineProps) {
  const { t } = useTranslation()
  const line = test?.lines.find((one) => one.line === name)
  const result = line?.result ?? 'skipped'
  return (
    <li className={lines.line} data-layer={name} data-result={result}>
      <Mark result={result} isCurrent={isCurrent} />
      <span className={lines.title}>{t(`email.line-${name}`)}</span>
      <span className={lines.time}>
        {line?.duration_ms != null ? t('connection-test.milliseconds', { count: line.duration_ms }) : null}
      </span>
      {test && line && (
        <>
          {result === 'failed' && line.answer !== null && <bdi className={lines.detail}>{line.answer}</bdi>}
          <span className={lines.detail}>
            <Detail line={line} test={test} security={security} />
          </span>
          {line.cause !== null && (
            <div className={lines.remedy}>
              <Remedy line={line} test={test} onChange={onChange} />
            </div>
          )}
        </>
      )}
    </li>
  )
}

function Mark({ result, isCurrent }: { result: CheckedMailLine['result']; isCurrent: boolean }) {
  const { t } = useTranslation()
  if (isCurrent)
    return (
      <span className={lines.mark} data-tone="none">
        <Loader size={14} aria-label={t('connection-test.running')} />
      </span>
    )
  const marks = {
    ok: { tone: 'ok', Icon: IconCheck, label: t('connection-test.ok') },
    failed: { tone: 'bad', Icon: IconX, label: t('connection-test.failed') },
    skipped: { tone: 'none', Icon: IconMinus, label: t('connection-test.skipped') },
  }
  const { tone, Icon, label } = entryFor(marks, result, marks.skipped)
  return (
    <span className={lines.mark} data-tone={tone}>
      <Icon size={18} role="img" aria-label={label} />
    </span>
  )
}

type DetailProps = { line: CheckedMailLine; test: MailServerTest; security: Security }

/** The sentence of a line: its message, or what was found. */
function Detail({ line: { line, result, answer, message }, test, security }: DetailProps) {
  const { t } = useTranslation()
  if (message !== null) return message
  if (result === 'skipped') {
    const failed = test.lines.find((one) => one.cause !== null)
    return failed ? t('email.needs', { line: t(`email.line-${failed.line}`, orValue(failed.line)) }) : null
  }
  const { host, port, addresses, protocol, certificate } = test
  if (line === 'name')
    return addresses[0] === host
      ? t('connection-test.is-address', { address: host })
      : t('connection-test.resolved', { host, addresses: addresses.join(', ') })
  if (line === 'connection')
    return answer === null ? t('connection-test.port-answers', { port }) : t('email.port-says', { port, answer })
  if (line === 'encryption') {
    if (!certificate) return t('email.unencrypted')
    const version = (protocol ?? '').replace('TLSv', 'TLS ')
    const way = security === 'starttls' ? `STARTTLS, ${version}` : version
    const date = certificate.valid_until === null ? '–' : formatTime(certificate.valid_until, { dateStyle: 'medium' })
    return t(certificate.trust === 'pinned' ? 'email.encrypted-pinned' : 'email.encrypted', { way, date })
  }
  if (line === 'sign_in') return answer ?? t('email.no-sign-in')
  return t('email.server-accepted', { answer: answer?.replace(/\.$/, '') ?? '' })
}

type RemedyProps = { line: CheckedMailLine; test: MailServerTest; onChange: Change | undefined }

/** The remedy inside a line that failed. */
function Remedy({ line: { line, cause }, test, onChange }: RemedyProps) {
  const { t } = useTranslation()
  if (line === 'encryption' && test.certificate?.trust === 'untrusted')
    return (
      <Certificate
        certificate={test.certificate}
        trust={onChange && ((fingerprint) => onChange({ certificate_pin: fingerprint }))}
        hint={!onChange && <Text fz={13}>{t('email.pin-variable')}</Text>}
      />
    )
  if (!onChange) return null
  if (cause === 'credentials_refused' || cause === 'password_missing')
    return <NewPassword onSubmit={(password) => onChange({ password })} />
  if (cause === 'starttls_missing')
    return (
      <Button size="xs" variant="default" onClick={() => onChange({ security: 'tls', port: 465 })}>
        {t('email.use-tls')}
      </Button>
    )
  if (cause === 'not_tls')
    return (
      <Button size="xs" variant="default" onClick={() => onChange({ security: 'starttls', port: 587 })}>
        {t('email.use-starttls')}
      </Button>
    )
  return null
}

function NewPassword({ onSubmit }: { onSubmit: (password: string) => void }) {
  const { t } = useTranslation()
  const [password, setPassword] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  return (
    <InlineForm
      action={t('connection-test.save-and-test')}
      onSubmit={() => (password === '' ? setIsMissing(true) : onSubmit(password))}
    >
      <SecretInput
        aria-label={t('connection-test.new-password')}
        placeholder={t('connection-test.new-password')}
        autoComplete="off"
        maw={280}
        style={{ flex: '1 1 200px' }}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={isMissing && password === '' && t('connection-test.secret-missing')}
      />
    </InlineForm>
  )
}
