import { type ComponentType, useState } from 'react'
import { notifyError } from '../parts/notices.tsx'
import { AccountButton } from './account-button.tsx'

/** Who is logged in. The menu is loaded at the first click: what places it alongside the button is a tenth of the first screen. */
export function Account() {
  const [Menu, setMenu] = useState<ComponentType>()
  const open = () => import('./account-menu.tsx').then(({ AccountMenu }) => setMenu(() => AccountMenu), notifyError)
  return Menu ? <Menu /> : <AccountButton onClick={() => void open()} />
}
