//! People: given names and surnames that are common in Mexico, combined at random.

use super::dice::Dice;

/// A person's name in its three parts.
pub(super) struct Person {
    /// One or two given names.
    pub(super) given: String,
    /// The father's surname.
    pub(super) paternal: &'static str,
    /// The mother's surname.
    pub(super) maternal: &'static str,
}

impl Person {
    /// The name as it is written: given names, father's surname, mother's surname.
    pub(super) fn full(&self) -> String {
        format!("{} {} {}", self.given, self.paternal, self.maternal)
    }
}

/// A random person.
pub(super) fn person(dice: &mut Dice) -> Person {
    let (first, second) = if dice.percent(45) { (WOMEN, WOMEN_SECOND) } else { (MEN, MEN_SECOND) };
    let mut given = dice.pick(first).to_owned();
    if dice.percent(45) {
        let added = dice.pick(second);
        if !given.contains(added) {
            given = format!("{given} {added}");
        }
    }
    Person { given, paternal: surname(dice), maternal: surname(dice) }
}

/// A surname, the most common ones more often.
pub(super) fn surname(dice: &mut Dice) -> &'static str {
    if dice.percent(35) { dice.pick(COMMON_SURNAMES) } else { dice.pick(SURNAMES) }
}

#[rustfmt::skip]
const MEN: &[&str] = &[
    "José", "Luis", "Juan", "Carlos", "Jorge", "Miguel", "Francisco", "Javier", "Alejandro", "Roberto", "Ricardo", "Fernando",
    "Eduardo", "Raúl", "Arturo", "Sergio", "Héctor", "Óscar", "Ramón", "Rubén", "Gerardo", "Enrique", "Salvador", "Alfredo",
    "Martín", "Víctor", "Mario", "Gustavo", "Armando", "Hugo", "César", "Iván", "Adrián", "Óliver", "Rodrigo", "Emilio",
    "Ignacio", "Jesús", "Gilberto", "Ernesto", "Efraín", "Noé", "Saúl", "Joel", "Abel", "Benjamín", "Tomás", "Rogelio", "Édgar",
    "Fabián", "Julián", "Leonel", "Mauricio", "Nicolás", "Octavio", "Pablo", "Ulises", "Uriel", "Wilfrido", "Zenón", "Aurelio",
];
#[rustfmt::skip]
const MEN_SECOND: &[&str] = &[
    "Antonio", "Luis", "Manuel", "Alberto", "Ángel", "Carlos", "Daniel", "Andrés", "Guadalupe", "Alonso", "Alejandro", "Iván",
    "Eduardo", "Enrique", "Javier", "de Jesús", "Humberto", "Arturo", "Ramón", "Israel", "Emmanuel", "Octavio", "Trinidad",
];
#[rustfmt::skip]
const WOMEN: &[&str] = &[
    "María", "Guadalupe", "Margarita", "Verónica", "Leticia", "Rosa", "Patricia", "Elizabeth", "Alejandra", "Martha", "Gabriela",
    "Silvia", "Yolanda", "Claudia", "Adriana", "Araceli", "Teresa", "Mónica", "Norma", "Lucía", "Sofía", "Fernanda", "Daniela",
    "Mariana", "Beatriz", "Carmen", "Cecilia", "Dolores", "Esperanza", "Irma", "Josefina", "Karla", "Lorena", "Maricela", "Nora",
    "Ofelia", "Paulina", "Raquel", "Sandra", "Susana", "Ximena", "Yadira", "Itzel", "Citlali", "Brenda", "Alma", "Blanca",
    "Consuelo", "Diana", "Erika", "Graciela", "Hilda", "Inés", "Liliana", "Miriam", "Nayeli", "Olga", "Rebeca", "Rocío", "Zulema",
];
#[rustfmt::skip]
const WOMEN_SECOND: &[&str] = &[
    "Guadalupe", "Elena", "Isabel", "del Carmen", "Luisa", "de los Ángeles", "Alejandra", "Cristina", "Eugenia", "Fernanda",
    "Teresa", "Josefina", "Esther", "Leticia", "Patricia", "Concepción", "Angélica", "del Rocío", "Victoria", "Paola", "Ivonne",
];
#[rustfmt::skip]
const COMMON_SURNAMES: &[&str] = &[
    "Hernández", "García", "Martínez", "López", "González", "Pérez", "Rodríguez", "Sánchez", "Ramírez", "Cruz", "Flores", "Gómez",
    "Morales", "Vázquez", "Reyes", "Jiménez", "Torres", "Díaz", "Gutiérrez", "Ruiz", "Mendoza", "Aguilar", "Ortiz", "Moreno",
];
#[rustfmt::skip]
const SURNAMES: &[&str] = &[
    "Castillo", "Romero", "Álvarez", "Méndez", "Chávez", "Rivera", "Juárez", "Ramos", "Domínguez", "Herrera", "Medina", "Castro",
    "Vargas", "Guzmán", "Velázquez", "Muñoz", "Rojas", "De la Cruz", "Contreras", "Salazar", "Luna", "Ortega", "Zavala", "Santiago",
    "Guerrero", "Estrada", "Bautista", "Cortés", "Soto", "Alvarado", "Espinoza", "Lara", "Ávila", "Ríos", "Cervantes", "Silva",
    "Delgado", "Vega", "Márquez", "Sandoval", "Fernández", "León", "Carrillo", "Mejía", "Solís", "Núñez", "Rosas", "Valdez",
    "Ibarra", "Campos", "Cabrera", "Robles", "Peña", "Maldonado", "Pacheco", "Camacho", "Rangel", "Navarro", "Rosales", "Acosta",
    "Salas", "Trejo", "Miranda", "Orozco", "Cárdenas", "Lozano", "Padilla", "Serrano", "Molina", "Valencia", "Fuentes", "Ayala",
    "Meza", "Bravo", "Ponce", "Cisneros", "Montoya", "Tapia", "Villegas", "Escobar", "Arellano", "Nava", "Franco", "Galindo",
    "Beltrán", "Ochoa", "Barrera", "Macías", "Zamora", "Quiroz", "Olvera", "Duarte", "Gallegos", "Cuevas", "Zúñiga", "Montes",
    "Mora", "Becerra", "Esquivel", "Arias", "Bernal", "Carmona", "Benítez", "Villanueva", "Corona", "Barajas", "Cordero", "Osorio",
    "Sepúlveda", "Íñiguez", "Ureña", "Godínez", "Magaña", "Patiño", "Treviño", "Cantú", "Garza", "Elizondo", "Saldaña", "Castañeda",
    "Treto", "Ledezma", "Plascencia", "Arreola", "Gudiño", "Preciado", "Tejeda", "Anguiano", "Ceballos", "Del Ángel", "Yáñez",
    "Chan", "Pech", "Canul", "Uc", "Xool", "Tzab", "Dzul", "Quezada", "Ñáñez", "Villaseñor", "Avendaño", "Argüello", "Agüero",
];
