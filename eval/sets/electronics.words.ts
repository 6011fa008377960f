/** The words of the made electronics shop: kinds, the noise in their specs, and what descriptions chat about (see make.ts). */

export const GROUPS = `
COMPUTING: Velmora, Kestrane, Brantek, Nuvrix, Ostrelle
DESK: Tactiva, Brantek, Quillon, Nuvrix, Deskara
PRINTING: Inkarta, Pelloux, Ostrelle, Brantek
SOUND: Sonavik, Aldervox, Murmel, Tactiva
SCREENS: Lumitar, Ostrelle, Vantrel, Aldervox
CARRY: Portavia, Halden & Roe, Kestrane, Cassel
PARTS: Voltiq, Greenspan, Portavia, Cablon
PHONES: Okarra, Zelphi, Ostrelle
PHOTO: Optarra, Lumenza, Fokaro
NETWORK: Routara, Wexlan, Brantek
COLOURS: Black, Black, White, Silver, Grey, Blue, Red
`

export const THINGS = `
laptop | computer | 36 | Notebook, Laptop, Notebook PC, -, - | COMPUTING | ProLine, Aerbook, Travia, Titanix | 299 2400 | screen: 13.3, 14, 15.6, 17.3; memory: 4, 8, 16, 32; storage: 128, 256, 512, 1000; drive: SSD, SSD, HDD; colour: COLOURS; touch: no, no, yes; gaming: no, no, yes; backlit: no, no, yes
desktop | computer | 20 | Tower PC, Desktop PC, Mini PC, - | COMPUTING | Deskline, Compax, Titanix | 350 2600 | memory: 8, 16, 32; storage: 256, 512, 1000; drive: SSD, HDD; gaming: no, no, yes
tablet | computer | 18 | Tablet, Tablet PC, - | PHONES, Velmora | Slate, Folio | 120 1100 | screen: 8, 10.1, 11, 12.9; storage: 32, 64, 128, 256; cellular: no, no, yes; colour: COLOURS
monitor | video | 30 | Monitor, LED display, computer monitor, LCD monitor, - | COMPUTING, Lumitar | Vue, Panora, Deskview | 90 1400 | screen: 21.5, 23.8, 27, 31.5, 34; resolution: 1920 x 1080, 2560 x 1440, 3840 x 2160; curved: no, no, yes; gaming: no, no, yes; refresh: 60, 75, 144, 165
tv | video | 22 | TV, Smart TV +smart, LED TV +panel=LED, television | SCREENS | Crystal, Series 7, Cinevue | 150 2900 | screen: 32, 43, 50, 55, 65, 75; resolution: 1366 x 768, 1920 x 1080, 3840 x 2160; panel: LED, OLED, QLED; smart: yes, yes, no
projector | video | 16 | data projector, Projector, beamer | SCREENS | Beamax, Cine | 250 2200 | brightness: 500, 2000, 3200, 4500; resolution: 1280 x 800, 1920 x 1080, 3840 x 2160; portable: no, no, yes
printer | print | 32 | printer, Laser printer +technology=Laser, Inkjet printer +technology=Inkjet, MFP +multifunction, multifunction printer +multifunction, - | PRINTING | LaserPoint, Jetta, OfficeMate, Workcentre | 60 1500 | technology: Laser, Laser, Inkjet; inColour: yes, no; multifunction: yes, no; duplex: yes, yes, no; wifi: yes, yes, no
label-printer | print | 10 | label printer, Label maker | PRINTING | Tagit, LabelWay | 35 400 | wifi: no, no, yes
scanner | print | 12 | Flatbed scanner, document scanner, Scanner | PRINTING | Scanix, Perfecta | 70 900 | portable: no, no, yes; duplex: no, no, yes
keyboard | computer | 22 | keyboard, Keyboard, keyboard USB +!wireless | DESK | K, Typist, Clack | 12 220 | wireless: yes, no; mechanical: no, no, yes; backlit: no, no, yes; gaming: no, no, yes; colour: COLOURS
mouse | computer | 24 | mouse, Mouse, optical mouse, mice | DESK | M, Glide, Rapid | 8 150 | wireless: yes, no; ergonomic: no, no, yes; gaming: no, no, yes; colour: COLOURS
keyboard-set | computer | 10 | keyboard Mouse included, Desktop set keyboard + mouse | DESK | Duo, Desktop | 20 130 | wireless: yes, no; colour: COLOURS
webcam | computer | 14 | webcam, Web camera, USB webcam | DESK | C, FaceCam | 20 240 | resolution: 1280 x 720, 1920 x 1080, 3840 x 2160; microphone: yes, yes, no
headphones | audio | 22 | Headphones Head-band, headphones, over-ear headphones | SOUND | Studio, HD, Calma | 20 420 | wireless: yes, no; noiseCancelling: no, no, yes; colour: COLOURS
earbuds | audio | 18 | Headphones In-ear, earbuds, True Wireless Stereo (TWS) earphones +wireless, earphones | SOUND, Okarra | Pods, Bud, Calma | 15 280 | wireless: yes, yes, no; noiseCancelling: no, no, yes; colour: COLOURS
headset | audio | 18 | Headset, headset Head-band, USB headset +!wireless | SOUND, Brantek | Evo, Callpro, Arena | 18 330 | wireless: yes, no; gaming: no, no, yes; noiseCancelling: no, no, yes
speaker | audio | 18 | Portable speaker +portable, Bluetooth speaker, loudspeaker | SOUND | Boom, Roll, Cube | 20 400 | waterproof: no, no, yes; colour: COLOURS; portable: yes, yes, no
soundbar | audio | 12 | soundbar speaker, Soundbar | SOUND, Lumitar | Bar, Stage | 90 900 | subwoofer: yes, no
microphone | audio | 12 | microphone, Studio microphone, USB microphone +!wireless | SOUND | Mic, Podia | 25 350 | wireless: no, no, yes
camera | photo | 20 | digital camera, Compact camera, MILC Body +mirrorless, SLR Camera Kit +!mirrorless, - | PHOTO | Alpina, E-, Coolshot | 150 2800 | megapixels: 12, 20, 24, 45; mirrorless: no, no, yes; colour: Black, Silver
lens | photo | 14 | camera lens, lens MILC/SLR, AF lens | PHOTO | AF, Nitor | 120 1900 | focal: 24, 35, 50, 85
smartphone | phone | 24 | Smartphone, mobile phone, -, Dual SIM | PHONES | Nova, One, Spark | 110 1300 | screen: 5.8, 6.1, 6.5, 6.7; storage: 64, 128, 256, 512; colour: COLOURS; fiveG: yes, no
smartwatch | phone | 14 | smartwatch, Sport watch, smart watch GPS +gps | PHONES | Pulse, Watch | 60 600 | gps: yes, no; colour: COLOURS
router | network | 16 | wireless router, WLAN router, Router | NETWORK | Arc, Meshy | 30 450 | wifi6: yes, no; mesh: no, no, yes
switch | network | 14 | network switch, Gigabit switch, Switch Managed, Switch Unmanaged | NETWORK | GS, Flow | 20 700 | ports: 5, 8, 8, 16, 24, 24, 48; poe: no, no, yes
external-drive | computer | 14 | external hard drive +drive=HDD, External HDD +drive=HDD, portable SSD +drive=SSD | Datavik, Velmora, Storelle | Vault, Go | 50 400 | storage: 500, 1000, 2000, 4000; drive: HDD, SSD
internal-drive | computer | 14 | internal solid state drive +drive=SSD, internal hard drive +drive=HDD, M.2 SSD +drive=SSD | Datavik, Storelle | Core, Nitrix | 35 420 | storage: 256, 500, 1000, 2000; drive: SSD, SSD, HDD
memory-module | computer | 12 | memory module, RAM module, DIMM | Datavik, Kestrane | Fury, Value | 20 260 | memory: 4, 8, 16, 32
usb-stick | computer | 12 | USB flash drive, USB stick, USB key | Datavik, Storelle | Clip, Twist | 6 80 | storage: 16, 32, 64, 128; colour: COLOURS
power-bank | phone | 12 | power bank, Powerbank, portable battery charger | PARTS | Juice, PB | 15 110 | capacity: 5000, 10000, 20000; colour: COLOURS
ups | network | 10 | uninterruptible power supply (UPS), UPS | Voltiq, Wexlan | Back, Guard | 60 700
calculator | computer | 10 | calculator Desktop +!scientific, Scientific calculator +scientific, calculator Pocket +!scientific | Quillon, Numera | FX, SL | 6 130 | scientific: yes, no
`

export const ACCESSORIES = `
laptop-sleeve | computer | 12 | notebook sleeve, Laptop sleeve, notebook case Sleeve case | CARRY | Slim, Urban | 12 70 | screen: 13.3, 14, 15.6; colour: COLOURS | laptop
laptop-bag | computer | 14 | notebook case Briefcase, Laptop bag, notebook backpack, carrying case notebook | CARRY | Metro, Campus | 18 160 | screen: 14, 15.6, 17.3; colour: COLOURS
laptop-charger | computer | 16 | power adapter/inverter Indoor, AC adapter notebook, laptop charger, notebook power supply | PARTS, Velmora, Kestrane | AC, Smart AC | 20 110 | watts: 45, 65, 90, 130 | laptop
laptop-battery | computer | 12 | notebook spare part Battery, laptop battery, rechargeable battery for notebook | Greenspan, Voltiq, Kestrane | BA, Li | 25 130 |  | laptop
laptop-stand | computer | 12 | notebook stand, Laptop stand, laptop riser | Deskara, Portavia | Rise, Lift | 18 90 | colour: COLOURS
docking-station | computer | 12 | notebook dock/port replicator, Docking station, USB-C dock | COMPUTING | Dock, Hubline | 60 330 |  | laptop
usb-hub | computer | 10 | interface hub, USB hub, USB-C hub | PARTS | Hub, Split | 10 80 | ports: 4, 7, 10
privacy-filter | video | 10 | display privacy filter, Privacy screen filter, frameless display privacy filter | Cassel, Deskara | Hide, PF | 25 140 | screen: 14, 15.6, 23.8, 27
monitor-arm | video | 10 | monitor mount / stand, Monitor arm, desk mount for monitor | Deskara, Bracka | Flex, MA | 25 260 | colour: Black, White, Silver
tablet-case | computer | 12 | tablet case Folio, Tablet cover, tablet keyboard case | CARRY | Flip, Guard | 14 150 | colour: COLOURS | tablet
mouse-pad | computer | 10 | mouse pad, Gaming mouse pad +gaming, mouse mat | DESK | Pad, Surf | 5 50 | gaming: yes, no; colour: COLOURS
toner | print | 22 | toner cartridge, Toner, toner cartridge 1 pc(s) Original | PRINTING | TN, CF | 35 230 | colour: Black, Cyan, Magenta, Yellow | printer
ink | print | 18 | ink cartridge, Ink, ink cartridge Original | PRINTING | T, CL | 9 80 | colour: Black, Cyan, Magenta, Yellow | printer
paper-tray | print | 10 | tray/feeder, Paper tray, printer paper cassette 550 sheets | PRINTING | PF, Tray | 60 320 |  | printer
photo-paper | print | 10 | photo paper, Glossy photo paper, printing paper A4 (210x297 mm) | PRINTING | Gloss, Premium | 6 45
label-tape | print | 10 | label-making tape, Label tape, printer label White | PRINTING | TZ, DK | 8 45 |  | label-printer
ear-pads | audio | 8 | headphone/headset accessory Cushion/ring set, ear pads, replacement ear cushions | SOUND | EP, Soft | 9 45 |  | headphones
headphone-stand | audio | 8 | headphone stand, Headset holder, headphone hanger | Deskara, Tactiva | Hang, HS | 12 70
tv-mount | video | 12 | TV mount, TV wall bracket, signage display mount | Bracka, Deskara | Wall, Fix | 18 180 | screen: 43, 55, 65, 75
remote | video | 8 | remote control IR Wireless, TV remote control, Universal remote | Bracka, Lumitar | RC, Zap | 10 60 |  | tv
projector-screen | video | 8 | projection screen, Projector screen, tripod projection screen | Bracka, Lumitar | Canvas, PS | 60 400
projector-lamp | video | 10 | projector lamp, replacement lamp for projector | Greenspan, Lumitar | LMP, ELP | 50 260 |  | projector
camera-case | photo | 14 | camera case, Compact case, Shoulder case camera, camera bag | CARRY, Optarra | Terra, Format | 12 130 | colour: COLOURS | camera
camera-battery | photo | 10 | camera/camcorder battery, battery pack for camera, Lithium-Ion battery camera | Greenspan, Optarra | NP, LP | 12 90 |  | camera
tripod | photo | 10 | tripod Digital/film cameras 3 leg(s), Camera tripod, tripod | Fokaro, Bracka | Traveller, Compact | 20 280 | colour: Black, Red
memory-card | photo | 12 | memory card SDXC, microSD card, MicroSDHC Class 10, SD card | Datavik, Storelle | Ultra, Pro | 8 150 | storage: 32, 64, 128, 256
phone-case | phone | 18 | mobile phone case Cover, Phone case, mobile phone case Wallet case, back cover | CARRY, Okarra | Shell, Clear | 8 55 | colour: COLOURS | smartphone
phone-charger | phone | 14 | mobile device charger Indoor, USB-C charger, phone charger, wireless charger | PARTS, Okarra | Charge, Cube | 9 70 | watts: 18, 20, 30, 65
phone-protector | phone | 10 | display/back protector Clear screen protector, screen protector tempered glass | Cassel, Portavia | Glass, Invisi | 6 35 |  | smartphone
phone-holder | phone | 10 | holder Mobile phone/Smartphone Passive, car phone mount, Phone holder | Bracka, Portavia | Grip, Drive | 8 45
watch-strap | phone | 10 | Smart Wearable Accessories Band, watch strap, replacement band | PHONES, Cassel | Sport, Loop | 9 80 | colour: COLOURS | smartwatch
network-cable | network | 12 | networking cable Cat6, patch cable RJ-45, Ethernet cable U/UTP | Cablon, Wexlan | Patch, C6 | 3 30 | length: 1, 2, 5, 10; colour: Grey, Blue, Black
hdmi-cable | video | 12 | HDMI cable HDMI Type A (Standard), HDMI cable, High Speed HDMI lead | Cablon, Portavia | HD, Link | 5 60 | length: 1, 2, 3, 5, 10
usb-cable | phone | 12 | USB cable USB C +usbC, USB-C charging cable +usbC, USB cable USB A Micro-USB B +!usbC | Cablon, Okarra | Sync, U | 4 30 | length: 1, 2, 3; colour: Black, White; usbC: yes, no
`

export const FILLERS = `
# any
Country of origin: China / Vietnam / Taiwan / Poland
Weight: 82 / 310 / 460 / 1780 / 2.4
Width: 41.5 / 112 / 376 / 612
Depth: 18 / 64 / 246 / 215.5
Height: 9.9 / 22.5 / 130 / 407
Operating temperature (T-T): 5 - 35 / 0 - 40
Storage temperature (T-T): -20 - 60 / -30 - 65
Operating relative humidity (H-H): 10 - 90 / 20 - 80
Package width: 120 / 340 / 515
Package depth: 80 / 96 / 290
Package height: 45 / 160 / 410
Package weight: 0.3 / 640 / 2950
Package type: Box / Blister / Polybag
Harmonized system (HS) code: 84713000 / 85183000 / 85444290 / 84439990
Quantity per pack: 1 / 1 pc(s)
Warranty card: yes / Y
Quick installation guide: yes / Y / N
Certification: CE, FCC, RoHS / RoHS / CE, UKCA, REACH, WEEE
Sustainability certificates: EPEAT Bronze / ENERGY STAR / TCO
Products per master (outer) case: 4 / 10 / 20
Products per pallet: 48 / 240 / 640
Market positioning: Business / Home / Basic
Master case EAN: 4012345000017
# computer
Bluetooth: yes / Y / no
Bluetooth version: 5.0 / 4.2
Number of built-in speakers: 2 / 0
Headphone outputs: 1
Front camera: yes / N
USB 2.0 ports quantity: 1 / 2
USB 3.2 Gen 1 Type-A ports quantity: 1 / 2 / 3
HDMI ports quantity: 0 / 1
AC adapter included: yes / Y
Battery technology: Lithium-Ion (Li-Ion)
Number of battery cells: 3 / 4
Cable lock slot: Y / no
Docking connector: N / no
Bundled software: Office trial, printer assistant, photo studio
Ethernet LAN (RJ-45) ports: 0 / 1
Card reader integrated: yes / no
Pointing device: Touchpad / N
Keyboard layout: QWERTY / QWERTZ
Operating system installed: Not available / Linos 12 Home
Processor cores: 2 / 4 / 8
Processor frequency: 1.8 / 2.4 / 3.1
Microphone in: Y / no
TV tuner integrated: no / N
# audio
Frequency range: 20 - 20000 / 15 - 22000
Impedance: 16 / 32
Cable length: 1.2 / 3
Driver unit: 10 / 40
Volume control: Button / Rotary
Carrying case: Y / no
Mobile phone supported: yes / Y
3.5 mm connector: Y / N
Charging time: 2 / 1.5
Total harmonic distortion (THD): 0.5
Battery life (max): 8 / 24 / 30
Charging source: USB
Call button: yes / N
Remote control included: Y / no
Recommended usage: Calls/Music / TV, PC/Laptop
# print
Duty cycle (maximum): 15000 / 50000
Paper input capacity: 250 sheets / 150
Maximum ISO A-series paper size: A4 / A3
Cartridge(s) included: yes / Y
Number of print cartridges: 1 / 4
Print languages: PCL 6, PostScript 3
Scan resolution: 600 x 600
Page yield: 1200 / 2600
Direct printing: Y / yes
USB port: yes / Y
Compatible operating systems: Linos 11, Linos 12
Sound pressure level: 50 dB
Photo paper supported: Y / no
Toner level display: N / yes
# photo
Sensor type: CMOS
ISO sensitivity (max): 25600 / 6400
Image stabilizer: yes / Y / N
Compatible memory cards: SD, SDHC, SDXC
Tripod mount: Y / yes
Flash modes: Auto, Flash off
Camera strap included: Y / no
Self-timer delay: 2, 10
Material: Nylon / Aluminium / Polyester
Lens mount interface: X-bay / E-ring
Battery type: NP-50
HDMI connector type: Micro / N
Filter size: 49 / 67
# network
Encryption / security: WPA2, WPA3
DHCP server: yes / Y
Antennas quantity: 0 / 2 / 4
MTBF (Mean time between failures): 400000 h
VPN support: Y / no
Rack mounting: N / yes
LED indicators: yes / Y
Input frequency: 50 - 60
AC input voltage: 100 - 240
Quality of Service (QoS) support: yes
Cable colour: Grey / Black
# video
Contrast ratio (typical): 1000:1 / 3000:1
Response time: 1 / 5
HDMI ports quantity: 1 / 2 / 3
VESA mounting: Y / yes
Panel mounting interface: 100 x 100 / 400 x 400
Built-in speaker(s): yes / N
Energy efficiency class: E / F / G
Power consumption (standby): 0.5 / 0.3
Headphone outputs: 1
Tilt angle range: -5 - 20
Remote control included: Y / N
Aspect ratio: 16:9 / 21:9
Cables included: AC, HDMI
Desk stand: N / yes
# phone
SIM card capability: Dual SIM / Single SIM
Battery capacity (mAh): 3500 / 4500
USB connector type: USB Type-C / Micro-USB
NFC: yes / Y / N
Fast charging: Y / no
Front camera resolution: 8 / 16
Headphone connectivity: 3.5 mm / USB Type-C
Compatibility: Smartphones, tablets
Material: Silicone / Polycarbonate / TPU
Wireless charging: N / yes
Charger included: Y / no
Dust resistant: yes / N
Bluetooth: Y
`

export const PITCHES = `
# computer
Add a wireless mouse and a docking station and your desk is ready for the day.
Fits neatly beside your monitor, keyboard and printer.
Designed for people who carry a laptop, a tablet and a phone.
Tested to rigorous standards so that you can focus on what matters.
Stay productive at home, in the office or on the road.
# audio
Hear every detail from your laptop, TV or smartphone.
The microphone picks up your voice and leaves the keyboard noise out.
Comes in a handy case that fits any bag.
Crafted for those who live for music.
# print
Print straight from your smartphone, tablet or notebook.
Save on toner and paper with smart modes.
Sharp text on every page, from the first to the last.
Works with your scanner and your router at once.
# photo
Take it along with your tripod, lenses and bag.
From family snaps to landscapes, every moment counts.
Share pictures on your phone or TV in seconds.
Protects what you love on every trip.
# network
Stream to every TV, tablet and games console in the house.
Connect printers, cameras and servers with ease.
Set up in minutes with the phone app.
# video
Plug in a laptop, a console or a camera.
Pairs with a soundbar for cinema at home.
Slim design that fits any wall or desk.
Colours that come to life, day and night.
# phone
Goes with your smartphone, earbuds and smartwatch.
Keep it in the car, in the office or in your bag.
Powerful, light and made to last.
Works while you charge.
`
