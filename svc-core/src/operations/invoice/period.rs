//! The days of a global invoice (contract §7, `invoice.global`).

use chrono::{Datelike, Days, Months, NaiveDate};

use crate::domain::cfdi::Periodicidad;
use crate::error::{Code, Error};
use crate::store::GlobalPeriod;

/// The period that a request names.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedPeriod {
    pub(super) periodicidad: Periodicidad,
    /// 1 to 12; 13 to 18 for two months.
    pub(super) mes: i64,
    pub(super) anio: i64,
    pub(super) desde: Option<NaiveDate>,
    pub(super) hasta: Option<NaiveDate>,
}

/// The period as the document states it, with its first and last day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PeriodDays {
    pub(super) period: GlobalPeriod,
    pub(super) first: NaiveDate,
    pub(super) last: NaiveDate,
}

fn invalid(field: &str, text: &str) -> Error {
    Error::field(Code::DatoInvalido, field, text)
}

impl NamedPeriod {
    /// Its days; the first is not after `today`.
    pub(super) fn days(&self, today: NaiveDate) -> Result<PeriodDays, Error> {
        let (meses, from, upto) = self.months()?;
        if from > today {
            return Err(invalid("mes", "no ha empezado"));
        }
        if i64::from(today.year()) - self.anio > 1 {
            return Err(invalid("año", "es este o el anterior"));
        }
        let (first, last) = self.first_and_last(from, upto, today)?;
        if last < first {
            return Err(invalid("hasta", "es anterior a desde"));
        }
        if first > today {
            return Err(invalid("desde", "no ha empezado"));
        }
        if !self.holds(first, last) {
            return Err(invalid("hasta", self.limit()));
        }
        // A week may begin in one month and end in the next; it is named by either.
        let inside = match self.periodicidad {
            Periodicidad::Semanal => first <= upto && last >= from,
            _ => first >= from && last <= upto,
        };
        if !inside {
            return Err(invalid(if self.desde.is_some() { "desde" } else { "hasta" }, "no es del mes que se nombra"));
        }
        let period = GlobalPeriod { periodicidad: self.periodicidad, meses: format!("{meses:02}"), anio: from.year() };
        Ok(PeriodDays { period, first, last })
    }

    /// The key of its month or months, and their first and last day.
    fn months(&self) -> Result<(i64, NaiveDate, NaiveDate), Error> {
        let two = self.periodicidad == Periodicidad::Bimestral;
        let (meses, first, length) = match self.mes {
            mes @ 13.. if two => (mes, (mes - 13) * 2 + 1, 2),
            13.. => return Err(invalid("mes", "es de 1 a 12; de 13 a 18 solo con la periodicidad 05")),
            mes if two => (12 + (mes + 1) / 2, (mes - 1) / 2 * 2 + 1, 2),
            mes => (mes, mes, 1),
        };
        let month = i32::try_from(self.anio).ok().zip(u32::try_from(first).ok());
        let from = month.and_then(|(year, month)| NaiveDate::from_ymd_opt(year, month, 1));
        let upto = from.and_then(|from| from.checked_add_months(Months::new(length))?.pred_opt());
        match (from, upto) {
            (Some(from), Some(upto)) => Ok((meses, from, upto)),
            _ => Err(invalid("mes", "no es un mes")),
        }
    }

    /// The days that `desde` and `hasta` give, or that follow from one of them, or from today.
    fn first_and_last(
        &self,
        from: NaiveDate,
        upto: NaiveDate,
        today: NaiveDate,
    ) -> Result<(NaiveDate, NaiveDate), Error> {
        if matches!(self.periodicidad, Periodicidad::Mensual | Periodicidad::Bimestral) {
            return Ok((self.desde.unwrap_or(from), self.hasta.unwrap_or(upto)));
        }
        Ok(match (self.desde, self.hasta) {
            (Some(first), Some(last)) => (first, last),
            (Some(first), None) => (first, self.last_from(first)),
            (None, Some(last)) => (self.first_until(last), last),
            (None, None) if (from..=upto).contains(&today) => self.running(today),
            (None, None) => {
                let text = "hace falta con esta periodicidad en un mes que ya terminó";
                return Err(Error::field(Code::DatoRequerido, "desde", text));
            }
        })
    }

    /// The last day of a period that begins on `first`.
    fn last_from(&self, first: NaiveDate) -> NaiveDate {
        match self.periodicidad {
            Periodicidad::Semanal => first.checked_add_days(Days::new(6)).unwrap_or(first),
            Periodicidad::Quincenal => half(first).1,
            _ => first,
        }
    }

    /// The first day of a period that ends on `last`.
    fn first_until(&self, last: NaiveDate) -> NaiveDate {
        match self.periodicidad {
            Periodicidad::Semanal => last.checked_sub_days(Days::new(6)).unwrap_or(last),
            Periodicidad::Quincenal => half(last).0,
            _ => last,
        }
    }

    /// The period that runs today; a week begins on Monday.
    fn running(&self, today: NaiveDate) -> (NaiveDate, NaiveDate) {
        let first = match self.periodicidad {
            Periodicidad::Semanal => {
                let passed = u64::from(today.weekday().num_days_from_monday());
                today.checked_sub_days(Days::new(passed)).unwrap_or(today)
            }
            _ => self.first_until(today),
        };
        (first, self.last_from(first))
    }

    /// Whether these days are one period of its length, or part of one.
    fn holds(&self, first: NaiveDate, last: NaiveDate) -> bool {
        match self.periodicidad {
            Periodicidad::Diario => first == last,
            Periodicidad::Semanal => (last - first).num_days() < 7,
            Periodicidad::Quincenal => half(first) == half(last),
            // Their days lie in the months that are named.
            Periodicidad::Mensual | Periodicidad::Bimestral => true,
        }
    }

    fn limit(&self) -> &'static str {
        match self.periodicidad {
            Periodicidad::Diario => "con la periodicidad 01 es el mismo día que desde",
            Periodicidad::Semanal => "con la periodicidad 02 son a lo más 7 días",
            _ => "con la periodicidad 03 es de la misma quincena que desde",
        }
    }
}

/// The first and the last day of the half month that holds `day`.
fn half(day: NaiveDate) -> (NaiveDate, NaiveDate) {
    if day.day() <= 15 {
        return (day.with_day(1).unwrap_or(day), day.with_day(15).unwrap_or(day));
    }
    let next = day.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
    (day.with_day(16).unwrap_or(day), next.and_then(|next| next.pred_opt()).unwrap_or(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn named(key: &str, mes: i64, desde: Option<&str>, hasta: Option<&str>) -> Result<(String, String), String> {
        let periodicidad = match key {
            "01" => Periodicidad::Diario,
            "02" => Periodicidad::Semanal,
            "03" => Periodicidad::Quincenal,
            "04" => Periodicidad::Mensual,
            _ => Periodicidad::Bimestral,
        };
        let period = NamedPeriod { periodicidad, mes, anio: 2026, desde: desde.map(day), hasta: hasta.map(day) };
        // A Thursday.
        let days = period.days(day("2026-10-22")).map_err(|error| error.to_string())?;
        Ok((days.first.to_string(), days.last.to_string()))
    }

    #[test]
    fn a_period_is_the_one_that_runs_or_that_its_days_name() {
        for (key, mes, desde, hasta, first, last) in [
            ("01", 10, None, None, "2026-10-22", "2026-10-22"),
            ("01", 9, Some("2026-09-30"), None, "2026-09-30", "2026-09-30"),
            ("02", 10, None, None, "2026-10-19", "2026-10-25"),
            ("02", 10, Some("2026-09-28"), None, "2026-09-28", "2026-10-04"),
            ("02", 9, Some("2026-09-28"), None, "2026-09-28", "2026-10-04"),
            ("02", 10, None, Some("2026-10-11"), "2026-10-05", "2026-10-11"),
            ("03", 10, None, None, "2026-10-16", "2026-10-31"),
            ("03", 2, Some("2026-02-16"), None, "2026-02-16", "2026-02-28"),
            ("03", 10, Some("2026-10-03"), None, "2026-10-03", "2026-10-15"),
            ("04", 9, None, None, "2026-09-01", "2026-09-30"),
            ("04", 10, Some("2026-10-05"), Some("2026-10-20"), "2026-10-05", "2026-10-20"),
            ("05", 10, None, None, "2026-09-01", "2026-10-31"),
            ("05", 17, None, None, "2026-09-01", "2026-10-31"),
        ] {
            let expected = Ok((first.to_owned(), last.to_owned()));
            assert_eq!(named(key, mes, desde, hasta), expected, "{key} {mes} {desde:?} {hasta:?}");
        }
    }

    #[test]
    fn days_that_are_no_period_are_refused() {
        for (key, mes, desde, hasta, field) in [
            ("01", 9, None, None, "desde"),
            ("01", 10, Some("2026-10-23"), None, "desde"),
            ("01", 10, Some("2026-10-01"), Some("2026-10-02"), "hasta"),
            ("01", 10, Some("2026-09-30"), None, "desde"),
            ("02", 10, Some("2026-10-01"), Some("2026-10-08"), "hasta"),
            ("02", 10, Some("2026-09-20"), None, "desde"),
            ("03", 10, Some("2026-10-15"), Some("2026-10-16"), "hasta"),
            ("04", 10, Some("2026-09-30"), None, "desde"),
            ("04", 10, Some("2026-10-20"), Some("2026-10-19"), "hasta"),
            ("04", 11, None, None, "mes"),
            ("04", 13, None, None, "mes"),
        ] {
            let fault = named(key, mes, desde, hasta).unwrap_err();
            assert!(fault.contains(&format!("{field}: ")), "{key} {mes} {desde:?} {hasta:?}: {fault}");
        }
    }
}
