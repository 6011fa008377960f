/**
 * Which schemes a client may have for its own app. RFC 8252 7.1 asks for a domain in reverse (`com.example.app:`), but
 * apps that people use have plain words (`cursor://`, `vscode://`), so a word is taken unless the system, a browser or a
 * well-known program answers to it: a redirect there hands a stranger's words to a program that expects orders. No list
 * of these is complete; hence whole families go at once, and nobody is sent to an app unasked (see mayLeaveUnasked).
 */

/** Families: whatever begins so is the system's, a store's, a browser's, or a program's that takes orders by address. */
const FOREIGN_START =
  /^(?:ms-|microsoft|windows|bing|xbox|zune|outlook|onenote|skype|lync|x-|apple|itms|itunes|facetime|macappstore|com\.apple\.|com\.android\.|android|intent|googlechrome|chrome|moz-|firefox|safari|opera-|edge-|view-|search-|app-|webcal|telprompt|zoom|webex|steam|roblox|teamviewer|anydesk|splashtop|rustdesk|jnlp|hxxp|coap)/

/** Words for running something, wherever they stand: `javascript`, `powershell`, `appinstaller`. */
const FOREIGN_PART = /script|shell|cmd|exec|install/

/** Registered with IANA or known to a system, one by one. Of the registered ones, those of editors stay out. */
const FOREIGN = new Set(
  `aaa aaas about acap acct acd acr addressbook adiumxtra admin adt afp afs aim amqp amqps amss app appdata
   applications appstream apt ar archive ark at attachment aw barion battlenet bb beshare bitcoin bitcoincash
   bittorrent bl blob bluetooth bolo brave browser browserext burn bzr cabal calculator calculator2 calendar calshow
   callto camera cap capacitor cast casts chia cid cifs clash com-eventbrite-attendee computer contacts content
   content-type crid cstr cvs dab dat data dav davs desktop devtools dhttp diagnostics diaspora dict did dis discord
   dlna-playcontainer dlna-playsingle dns dntp document dogecoin doi dpp drm drop dtmi dtn dvb dvx dweb ed2k edge eid
   electron elsi embedded ens epicgames ethereum evernote example explorer ext facebook fax fb feed feedback-hub
   feedready fido file filesystem findmy finger first-run-pen-experience fish flatpak fm ftp ftps fuchsia-pkg geo gg
   ghelp git github-mac github-windows gitoid gizmoproject go gopher gphoto2 graph grd grvopen gtalk h323 ham hcap hcp
   help hg hhctrl hs20 hta http https hydrazone hyper iax ibooks icap ichat icloud-sharing icon ilstring im imap imaps
   imessage info insiderhub instagram ionic iotdisco ipfs ipn ipns ipp ipps irc irc6 ircs iris isostore iterm2 its jabber jar
   jdbc jms kafka keyparc lastfm lbry ldap ldapi ldaps leaptofrogans lid lightning line litecoin livescript local
   localhost lorawan lpa lvlt magnet mailserver mailto man map mapi maps market matrix media-source message messages
   mhtml mid minecraft mk mms mmsto mobilenotes mocha modem monero mongodb moz mqtt mqtts ms msbd mshta msnim msrp msrps
   mss msteams mswindowsmusic mswindowsvideo mt mtp mtqp mtrust mumble mupdate music musics mvn mvrp mvrps mysql nats
   network news nfs ni nih nntp nntps notes npipe null num obex ocf odbc odopen oid onedrive onion opaquelocktoken
   openid openpgp4fpr openvpn opera origin origin2 otpauth p1 pack package palm paparazzi payment payto pcast pkcs11
   platform play podcast podcasts pop pop3 pop3s pops postgres postgresql prefs pres programs prospero proxy psyc pttp
   pwid qb qq query quic-transport rdp read recent redis rediss reload reminders remote res resource rfb riotclient
   rlogin rmi rsh rsync rtmfp rtmp rtmps rtmpt rtp rtsp rtsps rtspu sarif scp search secondlife secret-token service
   session settings sftp sgn sgnl shc shelter shortcuts shttp sieve signal simpleledger simplex sip sips slack smb
   smbs smp sms smsto smtp smtps snap snews snmp soap socks socks4 socks5 sogou solana soldat sourcetree spiffe spotify
   srt ss ssb ssh ssr starknet stickynotes stun stuns submit svn swh swid swidpath system tag taler tar tcp teams
   teamspeak teapot tel teliaeid telnet terminal tftp tg things thismessage thzp tip tn3270 tonsite tool tor torrent
   trash trojan turn turns tv twitter udp undefined unix unreal unsafe upi uplay upn upt urn ut2004 uuid-in-package
   v-event vbs vemmi ventrilo ves viber video videos videotex vivaldi vlc vmess vnc voicemail vpn vsls w3 wab wais wasm
   wasm-js wcr web3 weixin wechat whatsapp wifi wireguard wmp workflow wpid ws wss wtai wyciwyg xcon xcon-userid xfire
   xftp xmpp xri ymsgr zip`.split(/\s+/),
)

/** A domain in reverse, or one word with single dashes. */
const OWN = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*$/
const SHORTEST = 3

/** Why the scheme of this address is no app's own; null when it may be one. */
export function appSchemeProblem(scheme: string, uri: string): string | null {
  const isDomain = scheme.includes('.')
  const isForeign =
    FOREIGN_START.test(scheme) || FOREIGN.has(scheme) || (!isDomain && FOREIGN_PART.test(scheme))
  if (isForeign || !OWN.test(scheme) || scheme.length < SHORTEST)
    return `${scheme}: is not a scheme an app can own; use your domain in reverse, such as com.example.app:`
  if (!isDomain && !uri.startsWith(`${scheme}://`))
    return `${scheme}: must be followed by //, unless it is a domain in reverse`
  return null
}
