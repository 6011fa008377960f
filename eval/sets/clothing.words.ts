/** The words of the made clothing shop (see make.ts). The family is the shop's coarse category. */

export const GROUPS = `
FASHION: Tarnwick, Ellery Voss, Nordhavn Mills, Solvane, Kadri, Pelham Rye, Mirelle
SPORT: Runa Athletic, Velospar, Strideon, Galtway
FOOTWEAR: Strideon, Galtway, Cassonde, Ostby Shoemakers, Runa Athletic
LEATHER: Cassonde, Pelham Rye, Fennimore Grey
CARE: Ostby Shoemakers, Tidewick
STYLES: Harlow, Bexley, Arden, Isla, Marlo, Fenn, Quinn, Rowan, Tilda, Otis, Vera, Linden
FEET: Swift, Trail, Cloud, Harbour, Court, Dune, Peak
COLOURS: navy, black, white, grey, red, green, blue, beige, pink, brown
DARK: black, brown, navy, beige
ADULTS: men, women, women, men, unisex
ANYONE: men, women, kids, unisex
`

export const KINDS = `
shirt | Tops | 30 | Shirt, Button-Down Shirt, Oxford Shirt, Dress Shirt | FASHION | STYLES | 25 140 | gender: men, men, women; colour: navy, white, blue, white, black, green; material: cotton, linen, linen, flannel; sleeve: long, short; fit: slim, regular
tshirt | Tops | 30 | T-Shirt, Tee, Crew Neck T-Shirt, tshirt | FASHION, SPORT | STYLES | 9 60 | gender: ANYONE; colour: COLOURS; material: cotton, organic cotton, polyester; sleeve: short, short, long
polo | Tops | 14 | Polo Shirt, Polo | FASHION, SPORT | STYLES | 19 90 | gender: men, women; colour: COLOURS; material: cotton, polyester; fit: slim, regular
blouse | Tops | 18 | Blouse, Tie-Neck Blouse, Wrap Blouse | FASHION | STYLES | 25 150 | gender: women; colour: COLOURS; material: silk, cotton, viscose
tank-top | Tops | 10 | Tank Top, Vest Top, Cami | FASHION, SPORT | STYLES | 9 45 | gender: women, men; colour: COLOURS; material: cotton, polyester
sweater | Knitwear | 24 | Sweater, Jumper, Crew Neck Pullover, Knit | FASHION | STYLES | 30 240 | gender: ADULTS; colour: COLOURS; material: wool, merino, cashmere, cotton
cardigan | Knitwear | 14 | Cardigan, Button Cardigan, Knitted Cardigan | FASHION | STYLES | 35 220 | gender: women, women, men; colour: COLOURS; material: wool, merino, cotton
hoodie | Tops | 20 | Hoodie, Zip Hoodie +zip, Hooded Sweatshirt | FASHION, SPORT | STYLES | 25 110 | gender: ANYONE; colour: COLOURS; material: cotton, fleece; zip: yes, no
sweatshirt | Tops | 12 | Sweatshirt, Crew Sweatshirt, Sweat | FASHION, SPORT | STYLES | 22 95 | gender: ANYONE; colour: COLOURS; material: cotton, fleece
jeans | Bottoms | 26 | Jeans, Denim Jeans, Straight Leg Jeans, Skinny Jeans +fit=slim | FASHION | STYLES | 30 180 | gender: men, women; colour: blue, black, grey, white; fit: slim, straight, wide
trousers | Bottoms | 24 | Trousers, Chinos, Pants, Tailored Trousers | FASHION | STYLES | 30 170 | gender: men, women; colour: navy, black, grey, beige, green; material: cotton, linen, wool; fit: slim, regular, wide
shorts | Bottoms | 18 | Shorts, Bermuda Shorts, Chino Shorts | FASHION, SPORT | STYLES | 15 80 | gender: ANYONE; colour: COLOURS; material: cotton, linen, polyester
joggers | Bottoms | 12 | Joggers, Sweatpants, Track Pants | SPORT | STYLES | 22 90 | gender: ADULTS; colour: black, grey, navy; material: cotton, fleece
leggings | Bottoms | 14 | Leggings, High-Waist Leggings, Running Tights | SPORT | STYLES | 15 95 | gender: women; colour: black, grey, navy, green, pink; material: polyester, cotton; highWaist: yes, no
skirt | Bottoms | 16 | Skirt, Midi Skirt +length=midi, Mini Skirt +length=mini, Pleated Skirt | FASHION | STYLES | 20 130 | gender: women; colour: COLOURS; material: cotton, denim, silk, leather; length: mini, midi, maxi
dress | Dresses | 26 | Dress, Midi Dress +length=midi, Maxi Dress +length=maxi, Wrap Dress, Shirt Dress | FASHION | STYLES | 30 260 | gender: women; colour: COLOURS; material: cotton, linen, silk, viscose; length: mini, midi, maxi
suit | Tailoring | 14 | Suit, Two-Piece Suit, Three-Piece Suit | FASHION | STYLES | 150 700 | gender: men, men, women; colour: navy, black, grey; material: wool, linen; fit: slim, regular
blazer | Tailoring | 16 | Blazer, Tailored Jacket, Sport Coat | FASHION | STYLES | 70 380 | gender: men, women; colour: navy, black, grey, beige; material: wool, linen, cotton
jacket | Outerwear | 24 | Jacket, Bomber Jacket, Denim Jacket +material=denim, Leather Jacket +material=leather | FASHION, SPORT | STYLES | 50 420 | gender: ADULTS; colour: black, brown, navy, green, blue; material: leather, denim, nylon, polyester
coat | Outerwear | 16 | Coat, Overcoat, Wool Coat +material=wool, Trench Coat | FASHION | STYLES | 90 520 | gender: men, women; colour: black, grey, beige, navy; material: wool, cashmere, cotton
rain-jacket | Outerwear | 14 | Rain Jacket, Raincoat, Waterproof Shell | SPORT | STYLES | 45 260 | gender: ANYONE; colour: COLOURS; material: nylon, polyester; hood: yes, yes, no
down-jacket | Outerwear | 14 | Down Jacket, Puffer Jacket, Quilted Jacket | SPORT, Nordhavn Mills | STYLES | 60 360 | gender: ANYONE; colour: COLOURS; hood: yes, no
gilet | Outerwear | 10 | Gilet, Quilted Vest, Bodywarmer | SPORT, Tarnwick | STYLES | 35 160 | gender: ADULTS; colour: black, navy, green, grey
pyjamas | Nightwear | 14 | Pyjama Set, Pajamas, PJs | Mirelle, Tidewick, Kadri | STYLES | 20 120 | gender: ANYONE; colour: COLOURS; material: cotton, silk, flannel
robe | Nightwear | 10 | Dressing Gown, Bathrobe, Robe | Mirelle, Tidewick | STYLES | 25 140 | gender: ADULTS; colour: white, grey, navy, pink; material: cotton, fleece, silk
boxers | Underwear | 14 | Boxer Briefs, Boxers, Trunks 3-Pack | Tidewick, Kadri, Runa Athletic | STYLES | 9 50 | gender: men; colour: black, white, grey, navy; material: cotton, bamboo
bra | Underwear | 14 | Bra, T-Shirt Bra, Sports Bra +sports | Mirelle, Runa Athletic | STYLES | 15 80 | gender: women; colour: black, white, beige, pink; sports: yes, no
socks | Underwear | 18 | Socks, Ankle Socks, Crew Socks 5 Pack, Hiking Socks | Tidewick, SPORT | STYLES | 5 35 | gender: ANYONE; colour: COLOURS; material: cotton, merino, wool, bamboo
tights | Underwear | 10 | Tights 40 Denier, Tights, Pantyhose | Mirelle, Tidewick | STYLES | 6 30 | gender: women; colour: black, beige, navy
swimsuit | Swimwear | 12 | Swimsuit, One-Piece Swimsuit, Bathing Suit | Mirelle, Velospar | STYLES | 25 110 | gender: women, women, kids; colour: COLOURS
swim-shorts | Swimwear | 10 | Swim Shorts, Swim Trunks, Board Shorts | Velospar, Solvane | STYLES | 18 80 | gender: men, kids; colour: COLOURS
running-shoes | Shoes | 24 | Running Shoes, Trail Running Shoe, Running Trainers | SPORT | FEET | 50 200 | gender: men, women, men, women, kids; colour: COLOURS; waterproof: no, no, yes
sneakers | Shoes | 26 | Sneakers, Trainers, Low Top Sneaker, Court Shoes | FOOTWEAR | FEET | 35 190 | gender: ANYONE; colour: white, black, white, grey, navy, green, pink; material: leather, canvas, suede
hiking-boots | Shoes | 14 | Hiking Boots, Walking Boots, Trekking Boot | Galtway, Strideon | FEET | 70 280 | gender: ADULTS; colour: brown, black, grey; waterproof: yes, yes, no
boots | Shoes | 20 | Boots, Chelsea Boots, Ankle Boots, Lace-Up Boots | Cassonde, Ostby Shoemakers, Galtway | FEET | 60 320 | gender: men, women; colour: DARK; material: leather, suede
heels | Shoes | 14 | Heels, High Heels, Block Heel Pumps, Stilettos | Cassonde, Mirelle | FEET | 45 240 | gender: women; colour: black, red, beige, navy; material: leather, suede
sandals | Shoes | 14 | Sandals, Strappy Sandals, Slides | FOOTWEAR | FEET | 18 130 | gender: ADULTS; colour: DARK; material: leather, rubber
loafers | Shoes | 12 | Loafers, Penny Loafers, Slip-On Shoes | Cassonde, Ostby Shoemakers | FEET | 55 240 | gender: men, women; colour: DARK; material: leather, suede
slippers | Shoes | 12 | Slippers, House Slippers, Mules | Tidewick, Ostby Shoemakers | FEET | 15 80 | gender: ADULTS; colour: grey, beige, navy; material: wool, felt
cap | Accessories | 14 | Cap, Baseball Cap, Running Cap | SPORT, Tarnwick | STYLES | 12 45 | gender: unisex, men, women, kids; colour: COLOURS; material: cotton, polyester
hat | Accessories | 12 | Sun Hat, Fedora, Bucket Hat, Straw Hat +material=straw | FASHION | STYLES | 18 90 | gender: unisex, women; colour: beige, black, white, navy; material: straw, wool, cotton
beanie | Accessories | 12 | Beanie, Knit Hat, Bobble Hat | SPORT, Nordhavn Mills | STYLES | 10 55 | gender: unisex, kids; colour: COLOURS; material: wool, merino, cotton
scarf | Accessories | 16 | Scarf, Wool Scarf +material=wool, Silk Scarf +material=silk, Wrap | FASHION | STYLES | 15 160 | gender: unisex, women; colour: COLOURS; material: wool, cashmere, silk, cotton
gloves | Accessories | 14 | Gloves, Leather Gloves +material=leather, Touchscreen Gloves | LEATHER, Nordhavn Mills, Galtway | STYLES | 15 110 | gender: ADULTS; colour: DARK; material: leather, wool, fleece
belt | Accessories | 14 | Belt, Leather Belt +material=leather, Woven Belt | LEATHER | STYLES | 15 95 | gender: men, women; colour: DARK; material: leather, canvas
tie | Accessories | 12 | Tie, Silk Tie +material=silk, Necktie | Pelham Rye, Tarnwick, Solvane | STYLES | 15 90 | gender: men; colour: navy, red, grey, green; material: silk, wool
bow-tie | Accessories | 8 | Bow Tie, Self-Tie Bow Tie | Pelham Rye, Solvane | STYLES | 15 60 | gender: men; colour: black, navy, red
suspenders | Accessories | 8 | Suspenders, Braces Trouser, Clip Suspenders | Pelham Rye, Fennimore Grey | STYLES | 15 60 | gender: men; colour: black, navy, brown
handbag | Bags | 18 | Handbag, Shoulder Bag, Tote Bag, Crossbody Bag | LEATHER, Mirelle | STYLES | 40 420 | gender: women; colour: DARK; material: leather, canvas
backpack | Bags | 14 | Backpack, Rucksack, Daypack | Galtway, Velospar, Fennimore Grey | STYLES | 30 190 | colour: black, grey, green, navy; material: nylon, leather, canvas; waterproof: yes, no
wallet | Accessories | 12 | Wallet, Bifold Wallet, Card Holder | LEATHER | STYLES | 18 110 | gender: men, women; colour: DARK; material: leather
sunglasses | Accessories | 14 | Sunglasses, Polarised Sunglasses +polarised, Sunnies | Solvane, Velospar, Fennimore Grey | STYLES | 20 210 | gender: ADULTS; colour: black, brown, blue; polarised: yes, no
umbrella | Accessories | 8 | Umbrella, Folding Umbrella, Stick Umbrella | Tidewick, Tarnwick | STYLES | 12 70 | colour: black, navy, red
glasses-case | Accessories | 8 | Sunglasses Case, Hard Case for Glasses, Eyewear Pouch | LEATHER | STYLES | 8 45 | colour: DARK
shoelaces | Shoe care | 10 | Shoe Laces, Shoelaces 120 cm, Replacement Boot Laces | CARE | Round, Flat | 3 12 | colour: black, white, brown, red
shoe-polish | Shoe care | 8 | Shoe Polish, Boot Cream, Shoe Cream for Leather | CARE | Gloss, Care | 5 25 | colour: black, brown
shoe-tree | Shoe care | 8 | Shoe Trees, Cedar Shoe Tree, Boot Shaper | CARE | Cedar, Form | 10 45 |
insoles | Shoe care | 8 | Insoles, Gel Insoles for Running Shoes, Shoe Inserts | CARE, Runa Athletic | Comfort, Arch | 8 50 |
waterproofer | Shoe care | 8 | Waterproofing Spray, Suede & Boot Protector, Boot Re-Proofer | CARE, Galtway | Shield, Dry | 7 25 |
hangers | Care | 8 | Coat Hangers 10 Pack, Trouser Hangers, Wooden Suit Hanger | Tidewick | Oak, Slim | 8 50 |
garment-bag | Care | 8 | Suit Bag, Garment Bag, Dress Cover | Tidewick, Fennimore Grey | Travel, Store | 10 90 | colour: black, navy
wash-bag | Care | 6 | Laundry Bag for Bras, Lingerie Wash Bag, Mesh Wash Bag | Tidewick, Mirelle | Mesh, Soft | 5 20 |
lint-roller | Care | 6 | Lint Roller, Sticky Clothes Roller | Tidewick | Roll, Pick | 4 20 |
fabric-shaver | Care | 6 | Sweater Shaver, Fabric Shaver, Bobble Remover | Tidewick | Trim, Smooth | 9 40 |
`

/** How shops write a colour. */
export const COLOUR_NAMES = `
navy: Navy, Navy Blue, Midnight Navy, navy
black: Black, Jet Black, Black, Onyx
white: White, Off White, White, Ivory
grey: Grey, Gray, Charcoal, Grey Marl
red: Red, Burgundy, Red, Cherry Red
green: Green, Olive, Forest Green, Khaki Green
blue: Blue, Light Blue, Sky Blue, Mid Blue
beige: Beige, Camel, Sand, Stone
pink: Pink, Blush, Dusty Pink, Pink
brown: Brown, Tan, Cognac, Dark Brown
`

export const CHAT = `
Wear it with jeans and white sneakers.
Looks great under a blazer or a leather jacket.
Layer it over a shirt or a t-shirt when it gets cold.
Goes with everything from trousers to a skirt.
An everyday favourite that you will reach for again and again.
Machine wash at 30, do not tumble dry.
Model is 186 cm and wears a size M.
Inspired by the coast, made for the city.
Pairs well with our boots and a wool scarf.
New season.
`
