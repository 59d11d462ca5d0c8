import { Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { ControllerToCheck } from '../../../../client/voucher-api.generated.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { ChoiceField } from '../choice-field.tsx'
import { SecretInput } from '../password-field.tsx'
import { addressProblem, tidyAddress } from './controller-address.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { type DriverName, driverKinds } from './use-connection-test.ts'

addTexts({ de, en })

/** The same in every language. */
const exampleAddress = 'https://192.168.1.1'

export type ControllerValues = {
  driver: DriverName
  address: string
  username: string
  secret: string
  controller_site: string
}

export type ControllerFormState = UseFormReturnType<ControllerValues>

const emptyValues: ControllerValues = {
  driver: 'unifi-integration',
  address: '',
  username: '',
  secret: '',
  controller_site: '',
}

/** The values of a controller. With `isSaved`, an empty secret keeps the stored one. */
export function useControllerForm(
  initial: Partial<ControllerValues> = {},
  { isSaved = false } = {},
): ControllerFormState {
  const { t } = useTranslation()
  return useForm<ControllerValues>({
    initialValues: { ...emptyValues, ...initial },
    validateInputOnBlur: ['address'],
    clearInputErrorOnChange: true,
    validate: {
      address: (address) => {
        const problem = addressProblem(address)
        return problem && t(problem)
      },
      username: (username, { driver }) =>
        driverKinds[driver] === 'login' && !isSaved && username.trim() === ''
          ? t('controller-form.username-missing')
          : null,
      secret: (secret, { driver }) => {
        if (isSaved || secret !== '') return null
        return t(driverKinds[driver] === 'login' ? 'controller-form.password-missing' : 'controller-form.key-missing')
      },
    },
  })
}

/** The values as the service tests and stores them. Empty fields are left out. */
export function toAccess(
  values: ControllerValues,
  certificatePin: string | null,
): Omit<ControllerToCheck, 'controller_id'> {
  const { driver, address, username, secret, controller_site } = values
  const hasLogin = driverKinds[driver] === 'login'
  return {
    driver,
    address: tidyAddress(address),
    ...(certificatePin !== null && { certificate_pin: certificatePin }),
    ...(secret !== '' && { secret }),
    ...(secret !== '' && hasLogin && username.trim() !== '' && { username: username.trim() }),
    ...(controller_site.trim() !== '' && { controller_site: controller_site.trim() }),
  }
}

type Props = {
  form: ControllerFormState
  /** A recorded controller keeps its driver and its secret. */
  isSaved?: boolean
  /** Leaves out the field for the site, where the page has the site already. */
  withoutSite?: boolean
  /** Called when the person leaves a field, so that the page can test with the new values. */
  onLeave?: () => void
}

/** The fields for the access to a controller: kind, address, credentials and, for a hotspot operator, the site. */
export function ControllerForm({ form, isSaved = false, withoutSite = false, onLeave }: Props) {
  const { t } = useTranslation()
  const { driver } = form.values
  const isLogin = driverKinds[driver] === 'login'
  const leave = (field: keyof ControllerValues) => {
    const props = form.getInputProps(field)
    return {
      ...props,
      onBlur: (event: unknown) => {
        if (field === 'address') form.setFieldValue('address', tidyAddress)
        props.onBlur?.(event)
        onLeave?.()
      },
    }
  }
  const secretHelp = isSaved
    ? 'controller-form.stored'
    : isLogin
      ? 'controller-form.password-what'
      : 'controller-form.key-what'
  return (
    <Stack gap={20}>
      {!isSaved && (
        <ChoiceField
          label={t('controller-form.driver')}
          help={t(`controller-form.${driver}-what`)}
          data={(Object.keys(driverKinds) as DriverName[]).map((value) => ({
            value,
            label: t(`controller-form.${value}`),
          }))}
          value={driver}
          onChange={(value) => form.setFieldValue('driver', value)}
        />
      )}
      <TextInput
        inputMode="url"
        autoCapitalize="off"
        autoComplete="off"
        spellCheck={false}
        label={t('controller-form.address')}
        placeholder={exampleAddress}
        description={t('controller-form.address-what')}
        {...leave('address')}
      />
      {isLogin && (
        <TextInput autoComplete="off" spellCheck={false} label={t('controller-form.username')} {...leave('username')} />
      )}
      <SecretInput
        autoComplete="new-password"
        label={t(isLogin ? 'controller-form.password' : 'controller-form.key')}
        description={t(secretHelp)}
        {...leave('secret')}
      />
      {isLogin && !withoutSite && (
        <TextInput
          autoComplete="off"
          spellCheck={false}
          label={t('controller-form.site')}
          placeholder={t('controller-form.site-any')}
          description={t('controller-form.site-what')}
          {...leave('controller_site')}
        />
      )}
    </Stack>
  )
}
